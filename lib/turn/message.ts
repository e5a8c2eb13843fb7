/** What goes into a turn, from what an application has. */
import type { ContentBlock, JsonValue, UserMessage } from '../log/message.js'
import { randomUuid } from '../wire/token.js'

/**
 * A prompt, as `runTurn` takes it.
 * @param options.id default: a new UUID
 */
export function userMessage(content: string | ContentBlock[], options: { id?: string } = {}): UserMessage {
  const { id = randomUuid() } = options
  return { id, role: 'user', content: blocksOf(content), source: { kind: 'user' } }
}

/**
 * What `JSON.stringify` would keep of a value; null where it keeps nothing. For what events do not take as it is, such as
 * an object with undefined fields. Throws a `TypeError`, as `JSON.stringify` does, at a cycle and at a bigint.
 */
export function toJson(value: unknown): JsonValue {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? null : (JSON.parse(text) as JsonValue)
}

export function blocksOf(content: string | ContentBlock[]): ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}
