/** Chunk rows: a run of streamed deltas stored as one record, losslessly (`spec` 7.3). */
import type { SessionEvent } from './event.js'
import type { StreamChunk } from './message.js'

interface RunData {
  turn: number
  step: number
  index: number
  /** Gaps between the members' times, ms; one fewer than members. May be negative. */
  dt: number[]
}
export interface TextChunkRow {
  type: 'text-chunks' | 'reasoning-chunks'
  seq0: number
  time0: number
  data: RunData & { texts: string[] }
}
export interface ToolCallChunkRow {
  type: 'tool-call-chunks'
  seq0: number
  time0: number
  data: RunData & { id: string; name?: string; args: string[] }
}
export type ChunkRow = TextChunkRow | ToolCallChunkRow

/** One line of a stored log: an event, or a row that stands for several. */
export type StorageRecord = SessionEvent | ChunkRow

type DeltaEvent = SessionEvent<'assistant/chunk'>
type Delta = Extract<StreamChunk, { type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' }>

/** Shorter runs are stored as they are. */
const MIN_RUN = 3

/**
 * The records that stand for these events: an event or a chunk row each. Runs of three or more deltas of one block
 * become a row. `decodeStorageRecord` gives the events back. Source: `spec` 7.3.
 */
export function packChunkRuns(events: readonly SessionEvent[]): StorageRecord[] {
  return [...packRuns(events)]
}

/** The same from an event on and one by one, with at most `maxRun` events to a row. */
export function* packRuns(
  events: readonly SessionEvent[],
  from = 0,
  maxRun = Infinity,
): Generator<StorageRecord, void, undefined> {
  for (let at = from; at < events.length;) {
    const length = runLength(events, at, maxRun)
    if (length >= MIN_RUN) yield packRow(events.slice(at, at + length) as DeltaEvent[])
    else yield* events.slice(at, at + length)
    at += length
  }
}

/**
 * The events of one stored record. Throws an `Error` on a malformed chunk row; any other value is passed through as it
 * is. Source: `spec` 7.3.
 */
export function decodeStorageRecord(value: unknown): SessionEvent[] {
  const events = eventsOfRecord(value)
  if (typeof events === 'string') throw new Error(events)
  return events
}

/** The same for who goes on after a malformed row: a string says what is wrong with it. */
export function eventsOfRecord(value: unknown): SessionEvent[] | string {
  if (!isChunkRow(value)) return [value as SessionEvent]
  const row = value as ChunkRow
  const problem = rowProblem(row)
  if (problem !== undefined) return `malformed ${row.type} row: ${problem}`
  const { turn, step, index, dt } = row.data
  const pieces = 'texts' in row.data ? row.data.texts : row.data.args
  let time = row.time0
  return pieces.map((piece, k) => {
    if (k > 0) time += dt[k - 1]!
    return { type: 'assistant/chunk', seq: row.seq0 + k, time, data: { turn, step, chunk: delta(row, index, piece) } }
  })
}

/** Whether a record is a chunk row by its type; its shape is not looked at. */
export function isChunkRow(value: unknown): boolean {
  const type = (value as { type?: unknown } | null | undefined)?.type
  return type === 'text-chunks' || type === 'reasoning-chunks' || type === 'tool-call-chunks'
}

/** How many events from `at` on form one run: at least 1, at most `max`. */
function runLength(events: readonly SessionEvent[], at: number, max: number): number {
  const first = events[at]!
  if (!isDelta(first)) return 1
  let end = at + 1
  for (let before = first; end < events.length && end - at < max; end++) {
    const next = events[end]!
    if (!isDelta(next) || !continues(before, next)) break
    before = next
  }
  return end - at
}

function continues(before: DeltaEvent, next: DeltaEvent): boolean {
  const a = before.data.chunk as Delta
  const b = next.data.chunk as Delta
  if (next.seq !== before.seq + 1 || !Number.isSafeInteger(next.time - before.time)) return false
  if (before.data.turn !== next.data.turn || before.data.step !== next.data.step) return false
  if (a.type !== b.type || a.index !== b.index) return false
  if (a.type !== 'tool-call-delta' || b.type !== 'tool-call-delta') return true
  return a.id === b.id && a.name === b.name
}

/** Exactly the keys and primitive types that a row can give back. */
function isDelta(event: SessionEvent): event is DeltaEvent {
  if (event.type !== 'assistant/chunk' || !hasExactly(event, ['type', 'seq', 'time', 'data'])) return false
  const { seq, time, data } = event
  if (!Number.isSafeInteger(seq) || seq < 0 || !Number.isSafeInteger(time)) return false
  if (!hasExactly(data, ['turn', 'step', 'chunk'])) return false
  if (typeof data.turn !== 'number' || typeof data.step !== 'number') return false
  const { chunk } = data
  if (typeof chunk !== 'object' || chunk === null) return false
  if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') {
    return hasExactly(chunk, ['type', 'index', 'text']) && isNumber(chunk.index) && typeof chunk.text === 'string'
  }
  if (chunk.type !== 'tool-call-delta') return false
  const named = 'name' in chunk
  return (
    hasExactly(chunk, ['type', 'index', 'id', ...(named ? ['name'] : []), 'argumentsDelta']) &&
    isNumber(chunk.index) &&
    typeof chunk.id === 'string' &&
    (!named || typeof chunk.name === 'string') &&
    typeof chunk.argumentsDelta === 'string'
  )
}

function packRow(run: readonly DeltaEvent[]): ChunkRow {
  const [first] = run
  const { turn, step } = first!.data
  const head = first!.data.chunk as Delta
  const dt = run.slice(1).map((event, k) => event.time - run[k]!.time)
  const place = { turn, step, index: head.index, dt }
  const row = { seq0: first!.seq, time0: first!.time }
  if (head.type === 'tool-call-delta') {
    const name = head.name === undefined ? {} : { name: head.name }
    const args = run.map((event) => (event.data.chunk as Extract<Delta, { argumentsDelta: string }>).argumentsDelta)
    return { type: 'tool-call-chunks', ...row, data: { ...place, id: head.id, ...name, args } }
  }
  const type = head.type === 'text-delta' ? 'text-chunks' : 'reasoning-chunks'
  return { type, ...row, data: { ...place, texts: run.map((event) => (event.data.chunk as { text: string }).text) } }
}

function delta(row: ChunkRow, index: number, piece: string): Delta {
  if (row.type !== 'tool-call-chunks') {
    return { type: row.type === 'text-chunks' ? 'text-delta' : 'reasoning-delta', index, text: piece }
  }
  const { id, name } = row.data
  return { type: 'tool-call-delta', index, id, ...(name !== undefined && { name }), argumentsDelta: piece }
}

function rowProblem(row: ChunkRow): string | undefined {
  if (!hasExactly(row, ['type', 'seq0', 'time0', 'data'])) return 'its keys are type, seq0, time0 and data'
  const data = row.data as Partial<TextChunkRow['data'] & ToolCallChunkRow['data']> | null
  const keys = ['turn', 'step', 'index', 'dt']
  if (row.type === 'tool-call-chunks') keys.push('id', ...(hasName(data) ? ['name'] : []), 'args')
  else keys.push('texts')
  if (!hasExactly(data, keys)) return `its data holds ${keys.join(', ')}`
  if (!isNumber(data!.turn) || !isNumber(data!.step) || !isNumber(data!.index)) return 'turn, step, index are numbers'
  if (row.type === 'tool-call-chunks' && typeof data!.id !== 'string') return 'id is a string'
  if (hasName(data) && typeof data!.name !== 'string') return 'name is a string'
  const pieces = row.type === 'tool-call-chunks' ? data!.args : data!.texts
  if (!Array.isArray(pieces) || pieces.length === 0 || !pieces.every((piece) => typeof piece === 'string')) {
    return 'it has one string or more'
  }
  const { dt } = data!
  if (!Array.isArray(dt) || dt.length !== pieces.length - 1) return 'dt has one gap fewer than there are members'
  if (!Number.isSafeInteger(row.seq0) || row.seq0 < 0) return 'seq0 is a safe integer ≥ 0'
  // Compared this way round, no sum leaves the safe range before it is looked at.
  if (row.seq0 > Number.MAX_SAFE_INTEGER - (pieces.length - 1)) return 'its seqs are safe integers'
  if (!Number.isSafeInteger(row.time0)) return 'time0 is a safe integer'
  let time = row.time0
  for (const gap of dt) {
    if (!Number.isSafeInteger(gap)) return 'every gap is a safe integer'
    time += gap
    if (!Number.isSafeInteger(time)) return 'its times are safe integers'
  }
  return undefined
}

function hasName(data: object | null): boolean {
  return typeof data === 'object' && data !== null && Object.hasOwn(data, 'name')
}

function hasExactly(value: unknown, keys: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.keys(value).length === keys.length && keys.every((key) => Object.hasOwn(value, key))
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
