/** The content of an answer while it streams, put together from its chunks. */
import type { ContentBlock, ToolCallBlock } from './message.js'

/**
 * Blocks in the order in which they began, each known to its chunks by an index. Blocks are replaced, never changed, so
 * those that did not grow are the same objects. Nobody checks the chunks of a log: what has another shape is passed over.
 */
export class StreamedBlocks {
  readonly #blocks: ContentBlock[] = []
  readonly #places = new Map<unknown, number>()

  get length(): number {
    return this.#blocks.length
  }

  /** A new array. */
  all(): ContentBlock[] {
    return [...this.#blocks]
  }

  /** Whether the chunk brought anything that can be seen. Costs the same however much has streamed. */
  add(chunk: unknown): boolean {
    if (!isFields(chunk)) return false
    const { type, index } = chunk
    const at = this.#places.get(index)
    const before = at === undefined ? undefined : this.#blocks[at]!
    const block = type === 'block-end' ? ended(chunk['block']) : grown(before, chunk)
    if (block === undefined) return false
    // A block of another kind under the same index, or another call, is another block: what was seen of the first stays.
    const isNew = at === undefined || (type !== 'block-end' && !goesOn(before!, block))
    if (isNew) this.#places.set(index, this.#blocks.length)
    this.#blocks[isNew ? this.#blocks.length : at] = block
    return true
  }
}

/** The block that a delta makes of the one before it, or begins. */
function grown(before: ContentBlock | undefined, chunk: Fields): ContentBlock | undefined {
  const { type, text, id, name, argumentsDelta } = chunk
  if (type === 'text-delta' || type === 'reasoning-delta') {
    if (typeof text !== 'string') return undefined
    const kind = type === 'text-delta' ? 'text' : 'reasoning'
    return Object.freeze({ type: kind, text: before?.type === kind ? textOf(before.text) + text : text })
  }
  if (type !== 'tool-call-delta' || typeof id !== 'string' || typeof argumentsDelta !== 'string') return undefined
  const call = before?.type === 'tool-call' && before.id === id ? before : undefined
  return Object.freeze({
    type: 'tool-call',
    id,
    name: typeof name === 'string' ? name : textOf(call?.name),
    arguments: textOf(call?.arguments) + argumentsDelta,
  })
}

/** A block that a `block-end` gave may lack what its type has, or have something else there. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function goesOn(before: ContentBlock, block: ContentBlock): boolean {
  if (before.type !== block.type) return false
  return block.type !== 'tool-call' || (before as ToolCallBlock).id === block.id
}

/** The block as the end of its stream gives it, whole. */
function ended(block: unknown): ContentBlock | undefined {
  return isFields(block) && typeof block['type'] === 'string' ? (block as unknown as ContentBlock) : undefined
}

type Fields = Record<string, unknown>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
