/** The 48 event types that DSH knows, and the data of those that its plugins own (`spec` 1.5). */
import type { ContentBlock, JsonValue, LlmFailure, Message, TokenUsage, UserMessage } from './message.js'

/** What DSH's plugins log. None of these types may touch the surface. */
export interface PluginEventMap {
  'agent/inbox/spliced': {
    target: 'next-turn' | 'next-step'
    start: number
    removedCount?: number
    inserted: UserMessage[]
    outcome?: 'canceled'
  }
  'agent-preset/selected': { agentPreset: string }
  'approval/asked': { id: string; toolName: string; callId?: string; reason?: string }
  'approval/decided': { id: string; outcome: 'allowed-once' | 'rejected' | 'cancelled' | 'unavailable' }
  'approval/policy': { policy: 'ask' | 'never'; source?: 'delegation' }
  'command/run': { commandId: string; name: string; args?: string; source: { kind: 'user' } }
  'command/done': { commandId: string; kind: 'success' | 'error'; text?: string; sourceEventSeq?: number }
  'compaction/start': { compactionId: string; sourceCommandId?: string; turn: number | null }
  'compaction/summary': {
    compactionId: string
    sourceCommandId?: string
    summary: ContentBlock[]
    shadowedRange: { start: number; end: number }
    shadowedSeqs: number[]
    shadowedTokenCount: number
    provider: string
    model: string
    maxTokens?: number
    usage?: TokenUsage
    rawOutput?: ContentBlock[]
    llmStreamCall?: true
  }
  'compaction/prune': {
    shadowedRange: { start: number; end: number }
    shadowedSeqs: number[]
    shadowedTokenCount: number
  }
  'compaction/end': { compactionId: string; sourceCommandId?: string; turn: number | null; error?: JsonValue }
  'feedback/record': { text: string }
  'goal/change': { kind: 'goal/change'; version: 1; operation: string; [field: string]: JsonValue }
  'hook/invoked': { turn: number; point: string; dialect: 'claude-code' | 'codex'; matcher?: string; handlerId: string }
  'hook/result': {
    turn: number
    point: string
    handlerId: string
    decision: string
    exitCode?: number
    stderrSummary?: string
    durationMs: number
  }
  'llm/retry': {
    retryId: string
    turn: number
    step: number
    provider: string
    mode: 'normal' | 'always'
    policyKey: string
    retry: number
    maxRetries?: number
    delayMs: number
    failure: LlmFailure
  }
  'llm/retry-started': { retryId: string; turn: number; step: number; retry: number }
  'permission/preset': { preset: string }
  'plan/mode': { active: boolean }
  'sandbox/mode': { mode: 'read-only' | 'workspace-write' | 'danger-full-access'; source?: 'delegation' }
  'schedule/change': { version: 1; operation: 'create' | 'delete' | 'dispatch'; [field: string]: JsonValue }
  'session/title': {
    title: string
    messageSeqs: number[]
    source:
      | { kind: 'fallback' }
      | { kind: 'provider'; provider: string; model?: { provider: string; model: string } }
      | { kind: 'user' }
  }
  'session/title-llm-request': {
    titleProvider: string
    messageSeqs: number[]
    route: { provider: string; model: string }
    system: string
    messages: Message[]
    maxTokens: number
  }
  'subagent/descriptor': { version: 2; mode: 'one-shot' | 'continuable'; provider: string; [field: string]: JsonValue }
  'team/member': { version: 1; teamId: string; member: { [field: string]: JsonValue } }
  'team/task': { version: 1; teamId: string; task: { [field: string]: JsonValue } }
  'team/message/queued': { version: 1; teamId: string; message: { [field: string]: JsonValue } }
  'team/message/delivered': { version: 1; teamId: string; messageId: string; targetId: string }
  'tool/code-dispatch-start': {
    rootCallId: string
    parentCallId: string
    subCallId: string
    name: string
    arguments: JsonValue
  }
  'tool/code-dispatch': {
    rootCallId: string
    parentCallId: string
    subCallId: string
    name: string
    arguments: JsonValue
    isError: boolean
    content: ContentBlock[]
  }
  'tool-workflow/run-start': { runId: string; name: string }
  'tool-workflow/agent-start': { runId: string; seq: number; label: string; phase?: string; childId: string }
  'tool-workflow/agent-end': { runId: string; seq: number; outcome: 'completed' | 'failed' | 'cancelled' }
  'tool-workflow/run-end': { runId: string; stopReason: 'completed' | 'cancelled' | 'error' }
  'web/deepseek-search-llm-request': { endpoint: string; apiVersion: string; body: { [field: string]: JsonValue } }
}

/** The three types that may, and must, carry `surfaceOp`. */
export const SURFACE_TYPES: ReadonlySet<string> = new Set(['user/message', 'assistant/message', 'tool/result'])

/** Types that DSH once wrote and no reader accepts any more. */
export const REMOVED_TYPES: ReadonlySet<string> = new Set(['request/header-delta', 'mode/set', 'steering/message'])

const PLUGIN_TYPES: Record<keyof PluginEventMap, true> = {
  'agent/inbox/spliced': true,
  'agent-preset/selected': true,
  'approval/asked': true,
  'approval/decided': true,
  'approval/policy': true,
  'command/run': true,
  'command/done': true,
  'compaction/start': true,
  'compaction/summary': true,
  'compaction/prune': true,
  'compaction/end': true,
  'feedback/record': true,
  'goal/change': true,
  'hook/invoked': true,
  'hook/result': true,
  'llm/retry': true,
  'llm/retry-started': true,
  'permission/preset': true,
  'plan/mode': true,
  'sandbox/mode': true,
  'schedule/change': true,
  'session/title': true,
  'session/title-llm-request': true,
  'subagent/descriptor': true,
  'team/member': true,
  'team/task': true,
  'team/message/queued': true,
  'team/message/delivered': true,
  'tool/code-dispatch-start': true,
  'tool/code-dispatch': true,
  'tool-workflow/run-start': true,
  'tool-workflow/agent-start': true,
  'tool-workflow/agent-end': true,
  'tool-workflow/run-end': true,
  'web/deepseek-search-llm-request': true,
}

/** Every type that DSH reads without `ignorable: true`. */
export const KNOWN_TYPES: ReadonlySet<string> = new Set([
  'turn/start',
  'turn/end',
  'step/start',
  'step/end',
  ...SURFACE_TYPES,
  'assistant/chunk',
  'tool/call',
  'todo/write',
  'request/header',
  'request/context',
  'session/end-seed',
  ...Object.keys(PLUGIN_TYPES),
])

/** Whether a reader may go past this event: it knows the type, or need not (`spec` 6.7). */
export function isUnderstood(event: { type: string; ignorable?: true }, ownTypes: ReadonlySet<string>): boolean {
  return event.ignorable === true || KNOWN_TYPES.has(event.type) || ownTypes.has(event.type)
}
