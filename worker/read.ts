/** Reading a log, a part at a time. */
import type { SessionId } from '../lib/log/event.js'
import { READ_BUDGET, type Part, type Reading } from '../lib/wire/protocol.js'
import type { Database } from './database.js'
import { isUnreadable } from './failures.js'
import type { SegmentRecord, SessionRow } from './records.js'
import { cutPart, firstAt, isIntact, logRange } from './segments.js'
import { isStored, notFound } from './sessions.js'
import { isSoundSegment } from './sound.js'
import { spansOf, type Span } from './spans.js'
import type { Transaction } from './transaction.js'

/** Records asked for at once: few, since one may hold an event of many MiB. */
const PAGE = 8

export async function read(db: Database, id: SessionId, from: number): Promise<Reading> {
  const { row, pieces, isCut } = await gather(db, id, from).catch((error: unknown) => {
    if (!isUnreadable(error)) throw error
    return gatherOneByOne(db, id, from)
  })
  const { parts, damage = isCut ? damaged(endOf(parts, from)) : undefined } = toParts(pieces, from, row)
  return {
    header: row.header,
    log: row.log,
    epoch: row.epoch,
    length: row.length,
    parts,
    ...(damage !== undefined && { damage }),
  }
}

interface Gathered {
  row: SessionRow
  pieces: Piece[]
  /** The next segment is there, and cannot be read. */
  isCut?: true
}

function gather(db: Database, id: SessionId, from: number): Promise<Gathered> {
  return db.read(['sessions', 'lineages', 'segments'], async (tx) => {
    const row = await storedRow(tx, id)
    const pieces: Piece[] = []
    let bytes = 0
    for (const span of await spansOf(tx, row)) {
      if (span.end <= from || bytes >= READ_BUDGET) continue
      const segments = await segmentsOf(tx, span, from, READ_BUDGET - bytes)
      pieces.push({ span, segments })
      if (!segments.every(isSoundSegment)) break
      for (const segment of segments) bytes += sizeOf(segment)
    }
    return { row, pieces }
  })
}

/** The same, each segment in a transaction of its own, which one that is unreadable takes with it. */
async function gatherOneByOne(db: Database, id: SessionId, from: number): Promise<Gathered> {
  const { row, spans } = await db.read(['sessions', 'lineages'], async (tx) => {
    const row = await storedRow(tx, id)
    return { row, spans: await spansOf(tx, row) }
  })
  const pieces: Piece[] = []
  let bytes = 0
  for (const span of spans) {
    if (span.end <= from || bytes >= READ_BUDGET) continue
    const keys = await db.read(['segments'], async (tx) => {
      const first = from > span.start ? await firstAt(tx, span.log, from) : undefined
      return tx.objectStore('segments').getAllKeys(logRange(span.log, first ?? span.start, span.end))
    })
    const segments: SegmentRecord[] = []
    pieces.push({ span, segments })
    for (const key of keys) {
      if (bytes >= READ_BUDGET) break
      const segment = await db
        .read(['segments'], (tx) => tx.objectStore('segments').get(key))
        .catch((error: unknown) => {
          if (!isUnreadable(error)) throw error
          return undefined
        })
      if (segment === undefined) return { row, pieces, isCut: true }
      segments.push(segment)
      bytes += isSoundSegment(segment) ? sizeOf(segment) : 0
    }
  }
  return { row, pieces }
}

async function storedRow(tx: Transaction, id: SessionId): Promise<SessionRow> {
  const row = await tx.objectStore('sessions').get(id)
  if (!isStored(row)) throw notFound(id)
  return row
}

function endOf(parts: readonly Part[], from: number): number {
  const last = parts.at(-1)
  return last === undefined ? from : last.first + last.count
}

interface Piece {
  span: Span
  segments: SegmentRecord[]
}

/** The segments of a span from the one that holds `from` on, until `budget` bytes are there. */
async function segmentsOf(tx: Transaction, span: Span, from: number, budget: number): Promise<SegmentRecord[]> {
  const store = tx.objectStore('segments')
  let next = from > span.start ? ((await firstAt(tx, span.log, from)) ?? span.start) : span.start
  const segments: SegmentRecord[] = []
  let bytes = 0
  while (next < span.end && bytes < budget) {
    const page = await store.getAll(logRange(span.log, next, span.end), PAGE)
    for (const segment of page) {
      segments.push(segment)
      // It is where the reading ends.
      if (!isSoundSegment(segment)) return segments
      bytes += sizeOf(segment)
      next = segment.first + segment.count
    }
    if (page.length < PAGE) break
  }
  return segments
}

function sizeOf({ bytes, original }: SegmentRecord): number {
  return bytes.byteLength + (original?.bytes.byteLength ?? 0)
}

/** The segments as parts without a gap from `from` on, up to the first damage. */
function toParts(
  pieces: readonly Piece[],
  from: number,
  { log: ownLog, length }: SessionRow,
): Pick<Reading, 'parts' | 'damage'> {
  const parts: Part[] = []
  let next = from
  for (const { span, segments } of pieces) {
    for (const segment of segments) {
      if (segment.first > next) return { parts, damage: missing(next) }
      if (!isIntact(segment)) return { parts, damage: damaged(next) }
      if (segment.first + segment.count <= next) continue
      const part = cutPart(segment, next, span.end, segment.log === ownLog)
      if (part === undefined) return { parts, damage: damaged(next) }
      parts.push(part)
      next += part.count
    }
  }
  // What the budget cut off is read by the next call; when not even one part was there, nothing is.
  return parts.length > 0 || from >= length ? { parts } : { parts, damage: missing(next) }
}

function damaged(next: number): { readable: number; reason: string } {
  return { readable: next, reason: `the bytes of event ${next} and after are damaged` }
}

function missing(next: number): { readable: number; reason: string } {
  return { readable: next, reason: `the events from ${next} on are missing` }
}
