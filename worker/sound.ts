/**
 * Whether records have the shape that was written. A broken disk, and any other script of the origin, may leave anything:
 * that is damage of the sessions which need the record, and of no other.
 */
import type { SessionId } from '../lib/log/event.js'
import { SessionStoreError } from '../lib/wire/errors.js'
import type { LineageRecord, SegmentRecord, SessionRow } from './records.js'

export function isSoundRow(row: SessionRow): boolean {
  const { id, header, log, base, lineage, length, epoch, summary, title } = row
  return (
    header?.id === id &&
    isNatural(header.createdAt) &&
    isName(log) &&
    isName(epoch) &&
    isNatural(length) &&
    isNatural(base) &&
    base <= length &&
    (base === 0 ? lineage === undefined : isName(lineage)) &&
    isSoundSummary(summary) &&
    isText(title)
  )
}

export function isSoundLineage({ start, logs, ends, up }: LineageRecord): boolean {
  return (
    isNatural(start) &&
    Array.isArray(logs) &&
    logs.length > 0 &&
    logs.every(isName) &&
    Array.isArray(ends) &&
    ends.length === logs.length &&
    ends.every((end, i) => isNatural(end) && end > (ends[i - 1] ?? start)) &&
    (start === 0 ? up === undefined : isName(up))
  )
}

/** Its shape alone; `isIntact` looks at the bytes too. */
export function isSoundSegment(segment: SegmentRecord): boolean {
  const { first, count, bytes, before, starts, ends, original } = segment
  return (
    isNatural(first) &&
    isNatural(count) &&
    count > 0 &&
    bytes instanceof Uint8Array &&
    isSoundSummary(before) &&
    [starts, ends].every((seqs) => Array.isArray(seqs) && seqs.every((seq) => seq >= first && seq < first + count)) &&
    (original === undefined || original?.bytes instanceof Uint8Array)
  )
}

/** Throws unless a row is one. */
export function requireSound(row: SessionRow): void {
  if (!isSoundRow(row)) throw corrupt(row.id, 0, 'its own record is damaged')
}

export function corrupt(sessionId: SessionId, readable: number, reason: string): SessionStoreError {
  return new SessionStoreError('SESSION_CORRUPT', `the session '${sessionId}' is damaged: ${reason}`, {
    sessionId,
    readable,
  })
}

function isSoundSummary(summary: SessionRow['summary']): boolean {
  return isNatural(summary?.lastTime) && isText(summary.title) && isNatural(summary.open ?? 0)
}

function isNatural(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
