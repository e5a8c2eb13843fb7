/** Segments: writing them, finding the one at a position, and telling whether their bytes are intact. */
import type { SessionId } from '../lib/log/event.js'
import type { Segment } from '../lib/log/jsonl.js'
import { clipLines, decodeLines, dropLines } from '../lib/log/jsonl.js'
import { applyEffect, effectOf, type Summary } from '../lib/log/summary.js'
import type { Part } from '../lib/wire/protocol.js'
import { crc32 } from './checksum.js'
import { isUnreadable, Unreadable } from './failures.js'
import type { SegmentRecord } from './records.js'
import { corrupt, isSoundSegment } from './sound.js'
import { queue, type Transaction, type WriteTransaction } from './transaction.js'

/** Values from this size on are safe only by their own strict transaction; the rest of the record is counted in. */
const LARGE = 60 * 1024

/** Whether what is written must be safe against a power cut at once: a finished turn, or a large value. */
export function needsStrict(segments: readonly Segment[]): boolean {
  return segments.some(({ ends, bytes, original }) => {
    return ends.length > 0 || bytes.byteLength + (original?.byteLength ?? 0) >= LARGE
  })
}

/** The records of segments that follow a summary, and the summary after them. */
export function toRecords(
  log: string,
  segments: readonly Segment[],
  own: boolean,
  before: Summary,
): { records: SegmentRecord[]; after: Summary } {
  const records = segments.map(({ first, count, bytes, original, effect, starts, ends }) => {
    const record: SegmentRecord = { log, first, count, bytes, sum: crc32(bytes), own, before, starts, ends }
    if (original !== undefined) record.original = { bytes: original, sum: crc32(original) }
    before = applyEffect(before, effect)
    return record
  })
  return { records, after: before }
}

export function addSegments(tx: WriteTransaction, records: readonly SegmentRecord[]): void {
  for (const record of records) queue(tx.objectStore('segments').add(record))
}

/** The keys of a log's segments that begin at `from` or after, and before `end`. */
export function logRange(log: string, from = 0, end = Infinity): IDBKeyRange {
  const [lower, upper] = [
    [log, from],
    [log, end],
  ]
  // A database in memory takes as much of a range.
  if (typeof IDBKeyRange === 'undefined') return { lower, upper, lowerOpen: false, upperOpen: true } as IDBKeyRange
  return IDBKeyRange.bound(lower, upper, false, true)
}

/** The first seq of the segment that holds `seq`: the last key at or before it. */
export async function firstAt(tx: Transaction, log: string, seq: number): Promise<number | undefined> {
  const cursor = await tx.objectStore('segments').openKeyCursor(logRange(log, 0, seq + 1), 'prev')
  return cursor?.key[1]
}

/** What a request for segments from `first` on gives. Throws `Unreadable` when one of them is there and cannot be read. */
export async function readable<T>(first: number, request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw isUnreadable(error) ? new Unreadable(first, error) : error
  }
}

/** The summary of a log's first `length` events, read from the one segment that holds the last of them. */
export async function summaryAt(tx: Transaction, id: SessionId, log: string, length: number): Promise<Summary> {
  const first = await firstAt(tx, log, length - 1)
  const segment = first === undefined ? undefined : await readable(first, tx.objectStore('segments').get([log, first]))
  if (segment === undefined || !isIntact(segment) || segment.first + segment.count < length) {
    throw corrupt(id, segment?.first ?? 0, `the stored events before ${length} are not intact`)
  }
  const events = decodeLines(segment.bytes).filter((event) => event.seq < length)
  return applyEffect(segment.before, effectOf(events))
}

export function isIntact(segment: SegmentRecord): boolean {
  return isSoundSegment(segment) && crc32(segment.bytes) === segment.sum
}

/**
 * The part of a segment between two seqs, cut exactly; undefined: it holds fewer events than it says. `isOwn`: the reader is
 * the session that it came for.
 */
export function cutPart(segment: SegmentRecord, from: number, end: number, isOwn: boolean): Part | undefined {
  const first = Math.max(segment.first, from)
  const last = Math.min(segment.first + segment.count, end)
  let bytes: Uint8Array = segment.bytes
  try {
    if (last < segment.first + segment.count) bytes = clipLines(bytes, last - segment.first)
    if (first > segment.first) bytes = dropLines(bytes, first)
  } catch {
    return undefined
  }
  const part = { first, count: last - first, bytes, hasEnd: segment.ends.some((seq) => seq >= first && seq < last) }
  const { original } = segment
  const isWhole = part.count === segment.count
  // Ids that were made for old messages name the session, so its forks are exported in the present shapes.
  const asItCame = isOwn && isWhole && original !== undefined && crc32(original.bytes) === original.sum
  return asItCame ? { ...part, original: original.bytes } : part
}
