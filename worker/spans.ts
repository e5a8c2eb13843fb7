/** Lineages: where the events that a session inherits are stored. */
import type { SessionId } from '../lib/log/event.js'
import type { LineageRecord, SessionRow } from './records.js'
import { corrupt, isSoundLineage, requireSound } from './sound.js'
import type { Transaction } from './transaction.js'

/** Spans in one lineage record: few enough for a small record, many enough for few records in a long chain. */
export const MAX_SPANS = 16

/** Events `start` to `end - 1` of a session are in `log`. */
export interface Span {
  log: string
  start: number
  end: number
}

/** The spans of a session's whole log, first to last; the last one is its own log. None is empty. */
export async function spansOf(tx: Transaction, row: SessionRow): Promise<Span[]> {
  requireSound(row)
  const spans: Span[] = []
  if (row.length > row.base) spans.push({ log: row.log, start: row.base, end: row.length })
  for (let key = row.lineage, end = row.base; key !== undefined;) {
    const lineage = await lineageOf(tx, row.id, key, end)
    for (let i = lineage.logs.length - 1; i >= 0; i--) {
      spans.push({ log: lineage.logs[i]!, start: lineage.ends[i - 1] ?? lineage.start, end: lineage.ends[i]! })
    }
    key = lineage.up
    end = lineage.start
  }
  return spans.reverse()
}

/** How many events two sessions have in common: what is in the same log at the same place is the same event. */
export function sharedBy(a: readonly Span[], b: readonly Span[]): number {
  let shared = 0
  for (let i = 0; i < a.length && a[i]!.log === b[i]?.log; i++) {
    shared = Math.min(a[i]!.end, b[i]!.end)
    if (a[i]!.end !== b[i]!.end) break
  }
  return shared
}

/** How a child inherits the first `length` events of a session. */
export interface Inheritance {
  /** The log that holds the last of them. */
  log: string
  /** The lineage that ends exactly there: an existing one's key, or a new record. */
  lineage: string | Omit<LineageRecord, 'key'>
}

export async function inherit(tx: Transaction, row: SessionRow, length: number): Promise<Inheritance> {
  requireSound(row)
  if (length > row.base) {
    const span = { log: row.log, end: length }
    return { log: row.log, lineage: await extend(tx, row, span) }
  }
  let key = row.lineage!
  let lineage = await lineageOf(tx, row.id, key, row.base)
  while (length <= lineage.start) {
    key = lineage.up!
    lineage = await lineageOf(tx, row.id, key, lineage.start)
  }
  const at = lineage.ends.findIndex((end) => end >= length)
  const log = lineage.logs[at]!
  if (lineage.ends[at] === length && at === lineage.ends.length - 1) return { log, lineage: key }
  const { start, up } = lineage
  const cut = { start, logs: lineage.logs.slice(0, at + 1), ends: [...lineage.ends.slice(0, at), length] }
  return { log, lineage: up === undefined ? cut : { ...cut, up } }
}

/** The session's lineage and one more span: as a copy while there is room in the record, else linked to it. */
async function extend(
  tx: Transaction,
  row: SessionRow,
  span: { log: string; end: number },
): Promise<Omit<LineageRecord, 'key'>> {
  if (row.lineage === undefined) return { start: 0, logs: [span.log], ends: [span.end] }
  const { start, logs, ends, up } = await lineageOf(tx, row.id, row.lineage, row.base)
  if (logs.length === MAX_SPANS) return { start: row.base, logs: [span.log], ends: [span.end], up: row.lineage }
  const longer = { start, logs: [...logs, span.log], ends: [...ends, span.end] }
  return up === undefined ? longer : { ...longer, up }
}

/** A lineage ends where what names it begins; so none hangs on itself, and every walk along them ends. */
async function lineageOf(tx: Transaction, id: SessionId, key: string, end: number): Promise<LineageRecord> {
  const lineage = await tx.objectStore('lineages').get(key)
  if (lineage !== undefined && isSoundLineage(lineage) && lineage.ends.at(-1) === end) return lineage
  throw corrupt(id, 0, 'the record that says where the inherited events are stored is damaged or missing')
}
