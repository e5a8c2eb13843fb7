/** The surface: the seqs of what the model sees, in its order, with replacements (`spec` 2.5). */
import type { SessionEvent } from './event.js'
import { sameJson } from './json.js'
import { SURFACE_TYPES } from './vocabulary.js'

/** An event as far as the surface looks at it; its fields are not yet trusted. */
export interface SurfaceInput {
  readonly type: string
  readonly seq: number
  readonly data: unknown
  readonly sourceEventSeqs?: unknown
  readonly surfaceOp?: unknown
}

export interface Replacement {
  seq: number
  start: number
  end: number
  shadowedSeqs: number[]
}

interface ReplaceOp {
  op: 'replace'
  start: number
  end: number
}

export class Surface {
  #nodes: number[] = []
  /** Seqs of all tool results so far. */
  readonly #results = new Set<number>()
  #snapshot: readonly number[] | undefined
  #generation = 0

  /** @param dataAt the data of an earlier event; asked only for the target of a replaced tool result */
  constructor(private readonly dataAt: (seq: number) => unknown) {}

  /** Seqs of the current nodes; frozen, the same array until they change. */
  get nodes(): readonly number[] {
    return (this.#snapshot ??= Object.freeze([...this.#nodes]))
  }

  /** How many replacements there were. */
  get replaceGeneration(): number {
    return this.#generation
  }

  /** Why the event may not come next on this surface, or undefined. Changes nothing. */
  problem(event: SurfaceInput): string | undefined {
    const { surfaceOp, sourceEventSeqs, type, seq } = event
    if (!SURFACE_TYPES.has(type)) {
      if (surfaceOp !== undefined) return `'${type}' takes no surfaceOp; only messages and tool results do`
      return sourceEventSeqs === undefined ? undefined : `'${type}' takes no sourceEventSeqs`
    }
    if (surfaceOp === undefined) return `'${type}' needs a surfaceOp: 'append' or { op: 'replace', start, end }`
    if (surfaceOp === 'append') return sourcesProblem(sourceEventSeqs, type, seq)
    if (!isReplace(surfaceOp)) return "surfaceOp must be 'append' or exactly { op: 'replace', start, end }"
    const start = this.#nodes.indexOf(surfaceOp.start)
    if (start < 0) return `start ${surfaceOp.start} is no node of the surface`
    const end = this.#nodes.indexOf(surfaceOp.end)
    if (end < 0) return `end ${surfaceOp.end} is no node of the surface`
    if (start > end) return 'start comes after end on the surface'
    const sources = sourcesProblem(sourceEventSeqs, type, seq)
    if (sources !== undefined) return sources
    const cited = new Set(sourceEventSeqs as number[] | undefined)
    const shadowed = this.#nodes.slice(start, end + 1)
    const missing = shadowed.find((node) => !cited.has(node))
    if (missing !== undefined) return `sourceEventSeqs must list every shadowed node, ${missing} too`
    return type === 'tool/result' ? this.#toolResultProblem(event, shadowed) : undefined
  }

  /** Takes the event in, after `problem` found none. Returns the replacement it made, if any. */
  apply(event: SurfaceInput): Replacement | undefined {
    if (!SURFACE_TYPES.has(event.type)) return undefined
    this.#snapshot = undefined
    if (event.type === 'tool/result') this.#results.add(event.seq)
    if (!isReplace(event.surfaceOp)) {
      this.#nodes.push(event.seq)
      return undefined
    }
    const { start, end } = event.surfaceOp
    const from = this.#nodes.indexOf(start)
    const shadowedSeqs = this.#nodes.splice(from, this.#nodes.indexOf(end) - from + 1, event.seq)
    this.#generation++
    return { seq: event.seq, start, end, shadowedSeqs }
  }

  #toolResultProblem(event: SurfaceInput, shadowed: readonly number[]): string | undefined {
    const target = shadowed[0]!
    if (shadowed.length > 1 || !this.#results.has(target)) return 'a tool result replaces exactly one tool result'
    return sameJson(withoutResultContent(this.dataAt(target)), withoutResultContent(event.data))
      ? undefined
      : 'a replaced tool result must keep everything but the content of its block'
  }
}

/** The surface of a whole log. Throws an `Error` that names the first event which breaks a rule. Source: `spec` 2.5. */
export function foldSurface(events: readonly SessionEvent[]): { nodes: number[]; replacements: Replacement[] } {
  const surface = new Surface((seq) => events[seq]?.data)
  const replacements: Replacement[] = []
  events.forEach((event, index) => {
    const problem = event.seq === index ? surface.problem(event) : `seq is ${event.seq}`
    if (problem !== undefined) throw new Error(`event ${index}: ${problem}`)
    const replacement = surface.apply(event)
    if (replacement !== undefined) replacements.push(replacement)
  })
  return { nodes: [...surface.nodes], replacements }
}

/**
 * What a later replacement of this tool result is compared by: its data with the block's content taken out. Undefined
 * for other events. An importer keeps this instead of the results themselves, which may be large.
 */
export function toolResultIdentity(event: SurfaceInput): unknown {
  return event.type === 'tool/result' ? withoutResultContent(event.data) : undefined
}

function withoutResultContent(data: unknown): unknown {
  if (!isToolResultData(data)) return data
  return { ...data, message: { ...data.message, content: [{ ...data.message.content[0], content: [] }] } }
}

function isToolResultData(data: unknown): data is { message: { content: [object] } } {
  const message = (data as { message?: { content?: unknown } } | null | undefined)?.message
  return Array.isArray(message?.content)
}

function isReplace(op: unknown): op is ReplaceOp {
  if (typeof op !== 'object' || op === null || Object.keys(op).length !== 3) return false
  const { op: name, start, end } = op as Partial<ReplaceOp>
  return name === 'replace' && isSeq(start) && isSeq(end)
}

/** Errors win in this order: shape, items, duplicates, not earlier. */
function sourcesProblem(sources: unknown, type: string, seq: number): string | undefined {
  if (sources === undefined) return undefined
  if (!Array.isArray(sources)) return 'sourceEventSeqs must be an array'
  if (sources.length === 0 && type !== 'assistant/message') return 'sourceEventSeqs must not be empty'
  if (!sources.every(isSeq)) return 'sourceEventSeqs must hold safe integers ≥ 0'
  if (new Set(sources).size !== sources.length) return 'sourceEventSeqs has a duplicate'
  return sources.every((source) => source < seq) ? undefined : 'sourceEventSeqs names an event that is not earlier'
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
