/** A log as lines of JSON, and the bytes of a stored segment (`spec` 7.2). */
import { decodeStorageRecord, isChunkRow, packChunkRuns, packRuns, type StorageRecord } from './chunks.js'
import type { SessionEvent } from './event.js'
import { freezeJson } from './json.js'
import { effectOf, type Effect } from './summary.js'

/**
 * Segments stay under this. IndexedDB values of 64 KiB or more go to side files in Chromium, which only their own
 * strict transaction makes safe.
 */
export const SEGMENT_BYTES = 48 * 1024

/** Events in one stored chunk row: many enough for small rows, few enough to cut segments where they are full. */
const MAX_RUN = 256

/** A run of whole lines, each with its newline, that holds the events `first` to `first + count - 1`. */
export interface Segment {
  first: number
  count: number
  bytes: Uint8Array
  /** The same lines as a file brought them, where that had shapes of an old version. Exported, never read. */
  original?: Uint8Array
  effect: Effect
  /** Seqs of the `turn/start`s and `turn/end`s in it. */
  starts: number[]
  ends: number[]
}

const encoder = new TextEncoder()
// ignoreBOM: a U+FEFF is a character of the log like any other.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function encodeRecord(record: StorageRecord): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${JSON.stringify(record)}\n`)
}

/** Bytes → text. Throws a `TypeError` when they are not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

/** The events of a segment's lines, deeply frozen. Throws when the bytes are no such lines. */
export function decodeLines(bytes: Uint8Array): SessionEvent[] {
  return decodeRecords(bytes).flatMap((record) => decodeStorageRecord(record).map(freezeJson))
}

/** Events as segments of at most `SEGMENT_BYTES`; an event larger than that is alone in its own. */
export function encodeSegments(events: readonly SessionEvent[]): Segment[] {
  return [...segmentsFrom(events)]
}

/** The same from an event on and one by one, so that a caller may stop at any. */
export function* segmentsFrom(events: readonly SessionEvent[], from = 0): Generator<Segment, void, undefined> {
  let lines: Uint8Array[] = []
  let size = 0
  let first = from
  let next = from
  for (const { line, count } of linesFrom(events, from)) {
    if (lines.length > 0 && size + line.byteLength > SEGMENT_BYTES) {
      yield describe(events.slice(first, next), concat(lines))
      lines = []
      size = 0
      first = next
    }
    lines.push(line)
    size += line.byteLength
    next += count
  }
  if (next > first) yield describe(events.slice(first, next), concat(lines))
}

function* linesFrom(
  events: readonly SessionEvent[],
  from: number,
): Generator<{ line: Uint8Array; count: number }, void, undefined> {
  for (const record of packRuns(events, from, MAX_RUN)) {
    const line = encodeRecord(record)
    const members = isChunkRow(record) ? decodeStorageRecord(record) : []
    if (members.length > 1 && line.byteLength > SEGMENT_BYTES / 4) {
      // A large row is cut in two until its parts are small enough to fill segments well.
      const half = members.length >> 1
      yield* linesFrom(members.slice(0, half), 0)
      yield* linesFrom(members.slice(half), 0)
    } else {
      yield { line, count: Math.max(1, members.length) }
    }
  }
}

/** What a segment says about the events that its bytes hold. `events` is not empty. */
export function describe(events: readonly SessionEvent[], bytes: Uint8Array): Segment {
  const starts: number[] = []
  const ends: number[] = []
  for (const event of events) {
    if (event.type === 'turn/start') starts.push(event.seq)
    else if (event.type === 'turn/end') ends.push(event.seq)
  }
  return { first: events[0]!.seq, count: events.length, bytes, effect: effectOf(events), starts, ends }
}

/** The first `count` events of a segment's lines, as lines: the bytes as they are, a chunk row cut inside re-packed. */
export function clipLines(bytes: Uint8Array, count: number): Uint8Array {
  let at = 0
  for (let left = count; left > 0;) {
    const end = bytes.indexOf(10, at) + 1
    if (end === 0) throw new RangeError(`fewer than ${count} events`)
    const members = decodeLines(bytes.subarray(at, end))
    if (members.length > left) {
      const rest = packChunkRuns(members.slice(0, left)).map(encodeRecord)
      return concat([bytes.subarray(0, at), ...rest])
    }
    left -= members.length
    at = end
  }
  return bytes.slice(0, at)
}

/** The events from `from` on of a segment that begins before it, as lines. */
export function dropLines(bytes: Uint8Array, from: number): Uint8Array {
  const rest = decodeLines(bytes).filter((event) => event.seq >= from)
  return concat(packChunkRuns(rest).map(encodeRecord))
}

export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

function decodeRecords(bytes: Uint8Array): unknown[] {
  const text = decodeText(bytes)
  // JSON escapes newlines inside strings, so each one here ends a record.
  return JSON.parse(`[${text.trimEnd().replaceAll('\n', ',')}]`) as unknown[]
}
