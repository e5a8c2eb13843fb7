/** What `/chat/completions` takes and sends. */
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ContentBlock, Message, TokenUsage } from 'idb-sessions'

export function toWire({ role, content }: Message): object {
  const [first] = content
  if (first?.type === 'tool-result') {
    return { role: 'tool', tool_call_id: first.toolCallId, content: textOf(first.content, 'text') }
  }
  const reasoning = textOf(content, 'reasoning')
  const calls = content.flatMap((block) => {
    if (block.type !== 'tool-call') return []
    // Some servers refuse a conversation for good when it holds arguments that are no JSON.
    const json = isJson(block.arguments) ? block.arguments : '{}'
    return { id: block.id, type: 'function', function: { name: block.name, arguments: json } }
  })
  return {
    role,
    content: textOf(content, 'text'),
    ...(reasoning !== '' && { reasoning_content: reasoning }), // DeepSeek wants it back
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** As much of the data of an event as is used. Servers differ in what they leave out of a call, or send as null. */
export interface Chunk {
  choices?: { delta?: Delta; finish_reason?: string | null }[]
  usage?: Usage | null
  error?: { message?: string; code?: unknown } | string | null
}
interface Delta {
  reasoning_content?: string | null
  content?: string | null
  tool_calls?:
    | { index?: number; id?: string | null; function?: { name?: string | null; arguments?: string | null } }[]
    | null
}
interface Usage {
  prompt_tokens: number
  completion_tokens: number
  prompt_tokens_details?: { cached_tokens?: number } | null
  completion_tokens_details?: { reasoning_tokens?: number } | null
}

/** The data of the server's events. */
export async function* dataOf({ body }: Response): AsyncGenerator<string> {
  const stream = body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  const reader = stream.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value.data
}

/** What a server says of an error, in whichever way it does. */
export function messageOf(error: Chunk['error']): string | undefined {
  return typeof error === 'string' ? error : error?.message
}

/** Some servers answer 200 to tell of an error, or whatever they are asked. */
export function isStream(response: Response): boolean {
  return response.ok && !response.headers.get('content-type')?.includes('json') && !isPage(response)
}

/** For people, as the site has it where the address is wrong. */
export function isPage({ headers }: Response): boolean {
  return headers.get('content-type')?.includes('html') === true
}

/** A log keeps cached input apart. */
export function usageOf(wire: Usage): TokenUsage {
  const cacheReadTokens = wire.prompt_tokens_details?.cached_tokens ?? 0
  const reasoningTokens = wire.completion_tokens_details?.reasoning_tokens ?? 0
  const inputTokens = wire.prompt_tokens - cacheReadTokens
  return { inputTokens, outputTokens: wire.completion_tokens, cacheReadTokens, reasoningTokens }
}

function textOf(blocks: ContentBlock[], type: 'text' | 'reasoning'): string {
  return blocks.map((block) => (block.type === type ? block.text : '')).join('')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
