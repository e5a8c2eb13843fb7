/** Merging keeps long logs in few records: batches of a stream make small segments, a reader wants large ones. */
import type { SessionId } from '../lib/log/event.js'
import { concat, decodeLines, describe, encodeSegments, SEGMENT_BYTES, type Segment } from '../lib/log/jsonl.js'
import type { Database } from './database.js'
import { endsInto } from './delete.js'
import type { SegmentRecord } from './records.js'
import { isSoundRow } from './sound.js'
import { addSegments, isIntact, logRange, readable, toRecords } from './segments.js'
import { queue } from './transaction.js'

/** Small segments at a log's end that are worth a merge. */
export const MERGE_AT = 64
/** How many segments a merge looks at, from the end of the log. */
const WINDOW = 4 * MERGE_AT

/** Sources and result in one transaction, so that a reader finds either. Answers how many records were saved. */
export function merge(db: Database, id: SessionId): Promise<number> {
  return db.write(['sessions', 'lineages', 'segments'], {}, async (tx) => {
    const row = await tx.objectStore('sessions').get(id)
    if (row === undefined || !isSoundRow(row)) return 0
    const segments = tx.objectStore('segments')
    // The key `WINDOW` records from the end, or the first one.
    const last = await segments.openKeyCursor(logRange(row.log), 'prev')
    const back = await last?.advance(WINDOW - 1)
    const first = back?.key[1] ?? 0
    const records = await readable(first, segments.getAll(logRange(row.log, first)))
    const ends = [...new Set(await endsInto(tx, row.log))]
    let saved = 0
    for (const group of groups(records, ends)) {
      const { records: joined } = toRecords(row.log, join(group), group[0]!.own, group[0]!.before)
      if (joined.length >= group.length) continue
      saved += group.length - joined.length
      for (const { log, first } of group) queue(segments.delete([log, first]))
      addSegments(tx, joined)
    }
    return saved
  })
}

/** How many segments at the end of a list are small. */
export function smallAtEnd(sizes: readonly number[]): number {
  let small = 0
  while (small < sizes.length && isSmall(sizes[sizes.length - 1 - small]!)) small++
  return small
}

/**
 * Runs of small neighbours that may become one: all own or all imported, with no end of a span between or inside
 * them, so that what a child reaches stays a whole number of segments where it is one.
 */
function* groups(records: readonly SegmentRecord[], ends: readonly number[]): Generator<SegmentRecord[]> {
  let group: SegmentRecord[] = []
  for (const record of records) {
    const end = record.first + record.count
    const straddled = ends.some((seq) => seq > record.first && seq < end)
    const alone = straddled || !isIntact(record) || !isSmall(record.bytes.byteLength)
    const last = group.at(-1)
    // A gap is damage: what lies beyond it keeps its place.
    const gap = last !== undefined && last.first + last.count !== record.first
    const apart = gap || ends.includes(record.first) || last?.own !== record.own
    if (alone || apart) {
      if (group.length > 1) yield group
      group = []
    }
    if (!alone) group.push(record)
  }
  if (group.length > 1) yield group
}

/** Own events are packed anew, so that the deltas of many batches form long rows; imported bytes stay as they are. */
function join(group: readonly SegmentRecord[]): Segment[] {
  if (group[0]!.own) return encodeSegments(group.flatMap(({ bytes }) => decodeLines(bytes)))
  const joined: Segment[] = []
  let run: SegmentRecord[] = []
  const cut = (): void => {
    if (run.length > 0) joined.push(joinImported(run))
    run = []
  }
  for (const record of group) {
    if (sizeOf([...run, record]) > SEGMENT_BYTES) cut()
    run.push(record)
  }
  cut()
  return joined
}

function joinImported(run: readonly SegmentRecord[]): Segment {
  const bytes = concat(run.map((record) => record.bytes))
  const segment = describe(decodeLines(bytes), bytes)
  if (run.every(({ original }) => original === undefined)) return segment
  return { ...segment, original: concat(run.map((record) => record.original?.bytes ?? record.bytes)) }
}

function sizeOf(run: readonly SegmentRecord[]): number {
  const upgraded = run.some(({ original }) => original !== undefined)
  const sizes = run.map(
    ({ bytes, original }) => bytes.byteLength + (upgraded ? (original?.bytes ?? bytes).byteLength : 0),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function isSmall(size: number): boolean {
  return size < SEGMENT_BYTES / 2
}
