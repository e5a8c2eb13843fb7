/**
 * Messages, their blocks and the chunks of a streamed answer (`spec` 1.6). Facts of the DeepSeek Harness (DSH) format:
 * a log that uses them can be read by DSH.
 */

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

/** Where a message comes from. Open-ended: unknown kinds are kept. A human prompt is exactly `kind: 'user'`. */
export interface MessageSource {
  kind: string
  [field: string]: unknown
}

export interface ImageAttachmentRef {
  attachmentId: string
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif'
  bytes: number
  width: number
  height: number
  name?: string
  originalDimensions?: { width: number; height: number }
}

export interface TextBlock {
  type: 'text'
  text: string
}
export interface ReasoningBlock {
  type: 'reasoning'
  text: string
}
export interface ImageBlock {
  type: 'image'
  attachment: ImageAttachmentRef
}
/** `arguments` is the model's raw JSON text, unparsed. */
export interface ToolCallBlock {
  type: 'tool-call'
  id: string
  name: string
  arguments: string
}
export interface ToolResultBlock {
  type: 'tool-result'
  toolCallId: string
  content: ContentBlock[]
  isError?: boolean
}
export type ContentBlock = TextBlock | ReasoningBlock | ImageBlock | ToolCallBlock | ToolResultBlock

export interface Message {
  id: string
  role: 'system' | 'user' | 'assistant'
  content: ContentBlock[]
  source: MessageSource
}
export interface UserMessage extends Message {
  role: 'user'
}
export interface AssistantMessage extends Message {
  role: 'assistant'
  source: { kind: 'model'; provider: string; model: string; replayState?: JsonValue }
}
export interface ToolResultMessage extends Message {
  role: 'user'
  content: [ToolResultBlock]
  source: { kind: 'tool'; callId: string }
}

/** Token counts are disjoint: `inputTokens` is the uncached input only. */
export interface TokenUsage {
  inputTokens: number
  outputTokens: number
  cacheReadTokens?: number
  cacheWriteTokens?: number
  reasoningTokens?: number
}

export interface LlmFailure {
  message: string
  code: string
  status?: number
  providerRetryAfterMs?: number
  requestId?: string
}

export type FinishReason =
  | { kind: 'stop' }
  | { kind: 'tool-calls' }
  | { kind: 'max-tokens' }
  | { kind: 'aborted' | 'error'; failure: LlmFailure }

export type StreamChunk =
  | { type: 'block-start'; index: number; blockType: string }
  | { type: 'text-delta' | 'reasoning-delta'; index: number; text: string }
  | { type: 'tool-call-delta'; index: number; id: string; name?: string; argumentsDelta: string }
  | { type: 'block-end'; index: number; block: ContentBlock }
  | { type: 'usage'; usage: TokenUsage }
  | { type: 'finish'; reason: FinishReason; replayState?: { response: JsonValue; blocks?: JsonValue[] } }
