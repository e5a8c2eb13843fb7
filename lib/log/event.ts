/** The event envelope and the vocabulary that a session of its own needs (`spec` 1.1, 1.5). */
import type {
  AssistantMessage,
  JsonValue,
  LlmFailure,
  StreamChunk,
  TokenUsage,
  ToolResultMessage,
  UserMessage,
} from './message.js'
import type { PluginEventMap } from './vocabulary.js'

export type SessionId = string

/**
 * Event type → data. Open to declaration merging, so that an application's own events are typed:
 * `declare module 'idb-sessions' { interface SessionEventMap { 'my/event': { n: number } } }`.
 * Name them in `openSessions({ eventTypes })` as well.
 */
export interface SessionEventMap extends PluginEventMap {
  'turn/start': { turn: number }
  'turn/end': { turn: number; reason: TurnEndReason }
  'step/start': { turn: number; step: number }
  'step/end': { turn: number; step: number }
  'user/message': UserMessage
  'assistant/chunk': { turn: number; step: number; chunk: StreamChunk }
  'assistant/message': {
    turn: number
    step: number
    message: AssistantMessage
    usage?: TokenUsage
    interrupted?: true
  }
  'tool/call': { turn: number; step: number; callId: string; name: string; arguments: string }
  'tool/result': {
    turn: number
    step: number
    message: ToolResultMessage
    error?: { name: string; code: string }
    meta?: JsonValue
  }
  'todo/write': { todos: { content: string; status: 'pending' | 'in_progress' | 'completed' }[] }
  'request/header': { header: EpochHeader; reason: 'initial' | 'resume' | 'change' }
  'request/context': RequestContext
  'session/end-seed': Record<string, never>
}

export type SessionEventType = keyof SessionEventMap

/** `kind` → the whole reason. Open to declaration merging, like `SessionEventMap`. */
export interface TurnEndReasonMap {
  completed: { kind: 'completed' }
  blocked: { kind: 'blocked' }
  'max-tokens': { kind: 'max-tokens' }
  /** Written only when a crashed turn is closed. */
  interrupted: { kind: 'interrupted' }
  aborted: {
    kind: 'aborted'
    reason:
      | { kind: 'user' }
      | { kind: 'parent' }
      | { kind: 'hook'; reason: string }
      | { kind: 'disposed' }
      | { kind: 'legacy' }
  }
  error: { kind: 'error'; error: LlmFailure }
}
export type TurnEndReason = TurnEndReasonMap[keyof TurnEndReasonMap]

export interface LlmCallConfig {
  provider: string
  model: string
  reasoningEffort?: string
  temperature?: number
  maxTokens?: number
  stop?: string[]
}
export interface ToolSchema {
  name: string
  description: string
  /** A JSON Schema object. */
  parameters: Record<string, unknown>
}
export interface EpochHeader {
  config: LlmCallConfig
  adapterDefaults?: { reasoningEffort?: true; maxTokens?: true }
  system?: string
  tools?: ToolSchema[]
}
/** `contextWindow` is in tokens. */
export interface RequestContext {
  provider: string
  model: string
  contextWindow?: number
}

/** The three types that the model sees; all others are only logged. */
export type SurfaceEventType = 'user/message' | 'assistant/message' | 'tool/result'

/** How an event enters the surface: at its end, or in place of the nodes `start` to `end` (both seqs, inclusive). */
export type SurfaceOp = 'append' | { op: 'replace'; start: number; end: number }

export interface SurfaceIntent {
  surfaceOp: SurfaceOp
  /** Earlier events that this one was made from; a replacement must list every node it shadows. */
  sourceEventSeqs?: readonly number[]
}

/** The rest arguments of `append`: required for the three surface types, refused for all others. */
export type SurfaceIntentOf<T extends SessionEventType> = T extends SurfaceEventType ? [intent: SurfaceIntent] : []

interface Envelope<T extends SessionEventType> {
  readonly type: T
  /** Position in the log, 0-based. */
  readonly seq: number
  /** Unix epoch, ms; may go back. */
  readonly time: number
  readonly data: SessionEventMap[T]
  /** A reader that does not know the type may skip it. */
  readonly ignorable?: true
}

/** One event of a log: a deeply frozen, detached copy of what was appended. A union over `T` when `T` is one. */
export type SessionEvent<T extends SessionEventType = SessionEventType> = {
  [K in T]: Envelope<K> & (K extends SurfaceEventType ? Readonly<SurfaceIntent> : unknown)
}[T]
