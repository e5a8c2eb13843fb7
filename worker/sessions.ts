/** The life of a session row: create, fork, load, append, flush, a title. Each is one transaction. */
import type { SessionId } from '../lib/log/event.js'
import type { Segment } from '../lib/log/jsonl.js'
import { applyEffect, type Summary } from '../lib/log/summary.js'
import { SessionStoreError } from '../lib/wire/errors.js'
import type { AppendRequest, CreateRequest, ForkRequest, LoadRequest, StoredRow } from '../lib/wire/protocol.js'
import { randomToken } from '../lib/wire/token.js'
import type { Database } from './database.js'
import { Unreadable } from './failures.js'
import type { SessionRow } from './records.js'
import { addSegments, needsStrict, summaryAt, toRecords } from './segments.js'
import { corrupt, isSoundRow, requireSound } from './sound.js'
import { inherit } from './spans.js'
import { takeStaged } from './staging.js'
import { queue, type WriteTransaction } from './transaction.js'

export function exists(db: Database, id: SessionId): Promise<boolean> {
  return db.read(['sessions'], async (tx) => isStored(await tx.objectStore('sessions').get(id)))
}

export function list(db: Database): Promise<StoredRow[]> {
  return db.read(['sessions'], async (tx) => {
    const rows = await tx.objectStore('sessions').getAll()
    // An id of another kind can be asked for by nobody.
    return rows.filter((row) => isStored(row) && typeof row.id === 'string').map(toStoredRow)
  })
}

export function someRows(db: Database, ids: readonly SessionId[]): Promise<(StoredRow | undefined)[]> {
  return db.read(['sessions'], async (tx) => {
    const rows = await Promise.all(ids.map((id) => tx.objectStore('sessions').get(id)))
    return rows.map((row) => (isStored(row) ? toStoredRow(row) : undefined))
  })
}

export async function create(db: Database, request: CreateRequest): Promise<number> {
  return (await createRow(db, request, true)).length
}

/** @param own false: imported bytes, which are kept as they are */
export function createRow(db: Database, request: CreateRequest, own: boolean): Promise<SessionRow> {
  const { op, header, reserved, segments, staged } = request
  const strict = staged > 0 || !own || needsStrict(segments)
  return db.write(['sessions', 'segments', 'staging'], { strict }, async (tx) => {
    const there = await tx.objectStore('sessions').get(header.id)
    if (wasMadeBy(there, op)) return there
    const empty = emptySummary(header.createdAt)
    const before = staged > 0 ? applyEffect(await takeStaged(tx, op, staged), empty) : empty
    const row = newRow(op, header, 0, staged, before)
    if (reserved !== undefined) row.reserved = reserved
    grow(tx, row, segments, own)
    return row
  })
}

export async function fork(db: Database, request: ForkRequest): Promise<number> {
  try {
    return await forkRow(db, request)
  } catch (error) {
    const { cause } = error as Error
    throw cause instanceof Unreadable ? corrupt(request.source.id, cause.first, cause.message) : error
  }
}

function forkRow(db: Database, request: ForkRequest): Promise<number> {
  const { op, header, source, length, segments } = request
  const strict = needsStrict(segments)
  return db.write(['sessions', 'lineages', 'segments'], { strict }, async (tx) => {
    const sessions = tx.objectStore('sessions')
    const [from, there] = await Promise.all([sessions.get(source.id), sessions.get(header.id)])
    if (wasMadeBy(there, op)) return there.length
    if (from === undefined) throw notFound(source.id)
    requireSound(from)
    const same = 'epoch' in source ? from.epoch === source.epoch : from.log === source.log
    if (!same || from.length < length) throw conflict(source.id)

    const row = newRow(op, header, length, length, emptySummary(header.createdAt))
    if (length > 0) {
      const { log, lineage } = await inherit(tx, from, length)
      const inherited = length === from.length ? from.summary : await summaryAt(tx, from.id, log, length)
      row.summary = applyEffect(inherited, { lastTime: header.createdAt })
      row.lineage = typeof lineage === 'string' ? lineage : randomToken()
      if (typeof lineage !== 'string') queue(tx.objectStore('lineages').add({ key: row.lineage, ...lineage }))
    }
    return grow(tx, row, segments)
  })
}

export function load(db: Database, request: LoadRequest): Promise<number | 'changed'> {
  const { id, op, seen, segments } = request
  return db.write(['sessions', 'segments'], { strict: needsStrict(segments) }, async (tx) => {
    const row = await tx.objectStore('sessions').get(id)
    if (!isStored(row)) throw notFound(id)
    requireSound(row)
    if (row.epoch === op) return row.length // the answer was lost, not the load
    if (row.log !== seen.log || row.length !== seen.length || row.epoch !== seen.epoch) return 'changed'
    row.epoch = op
    return grow(tx, row, segments)
  })
}

export function append(db: Database, request: AppendRequest): Promise<number> {
  const { id, epoch, first, segments } = request
  const strict = request.strict === true || needsStrict(segments)
  return db.write(['sessions', 'segments'], { strict }, async (tx) => {
    const row = await ownRow(tx, id, epoch)
    // Sent again after a lost answer, or ahead of one: the caller goes on from the stored length.
    if (row.length !== first) {
      // What is there may have been stored relaxed: only what writes makes it safe.
      if (strict) queue(tx.objectStore('sessions').put(row))
      return row.length
    }
    delete row.reserved
    return grow(tx, row, segments)
  })
}

/**
 * No epoch is asked for: whoever writes the session reads the row in the transaction that puts it back, so that
 * neither takes anything from the other.
 */
export function setTitle(db: Database, id: SessionId, title: string, token: string): Promise<StoredRow | undefined> {
  return db.write(['sessions'], { strict: true }, async (tx) => {
    const row = await tx.objectStore('sessions').get(id)
    if (row === undefined || !isKnownTo(row, token)) throw notFound(id)
    if (title === '') delete row.title
    else row.title = title
    queue(tx.objectStore('sessions').put(row))
    return isStored(row) ? toStoredRow(row) : undefined
  })
}

/** A strict transaction that writes nothing syncs nothing, so the row is put back as it is. */
export function flush(db: Database, id: SessionId, epoch: string): Promise<number> {
  return db.write(['sessions'], { strict: true }, async (tx) => {
    const row = await ownRow(tx, id, epoch)
    queue(tx.objectStore('sessions').put(row))
    return row.length
  })
}

/** Whether a row is a session; a reservation is none to anyone but the page that made it. */
export function isStored(row: SessionRow | undefined): row is SessionRow {
  return row !== undefined && row.reserved === undefined
}

/** Whether a row is a session to the page of this token, for which its own reservations are. */
export function isKnownTo({ reserved }: SessionRow, token: string): boolean {
  return reserved === undefined || reserved === token
}

/** The title that was set, else the log's own. */
export function titleOf({ title, summary }: SessionRow): string | undefined {
  return title ?? summary.title
}

export function toStoredRow(row: SessionRow): StoredRow {
  // It is listed, so that it can be deleted.
  if (!isSoundRow(row))
    return { header: { version: 0, id: row.id, createdAt: 0 }, length: 0, lastTime: 0, openTurn: false }
  const { header, length, summary } = row
  const { lastTime, open } = summary
  const title = titleOf(row)
  return { header, length, lastTime, ...(title !== undefined && { title }), openTurn: open !== undefined }
}

export function emptySummary(createdAt: number): Summary {
  return { lastTime: createdAt }
}

export function notFound(id: SessionId): SessionStoreError {
  return new SessionStoreError('SESSION_NOT_FOUND', `there is no session '${id}'`, { sessionId: id })
}

/** True when this very operation made the row, and nobody has taken it over since. Throws when the id is taken. */
function wasMadeBy(row: SessionRow | undefined, op: string): row is SessionRow {
  if (row === undefined) return false
  if (row.epoch === op) return true
  if (row.log === op) throw conflict(row.id)
  if (row.reserved !== undefined) return false
  throw new SessionStoreError('SESSION_ALREADY_EXISTS', `there is a session '${row.id}' already`, { sessionId: row.id })
}

async function ownRow(tx: WriteTransaction, id: SessionId, epoch: string): Promise<SessionRow> {
  const row = await tx.objectStore('sessions').get(id)
  if (row === undefined) throw notFound(id)
  if (row.epoch !== epoch) throw conflict(id)
  requireSound(row)
  return row
}

function conflict(id: SessionId): SessionStoreError {
  const message = `another writer has taken the session '${id}' over; what it did not see is still in this one's events`
  return new SessionStoreError('SESSION_CONFLICT', message, { sessionId: id })
}

function newRow(
  op: string,
  header: CreateRequest['header'],
  base: number,
  length: number,
  summary: Summary,
): SessionRow {
  return { id: header.id, header, log: op, base, length, epoch: op, summary }
}

/** Puts a row with the events that follow it. Returns its new length. */
function grow(tx: WriteTransaction, row: SessionRow, segments: readonly Segment[], own = true): number {
  const { records, after } = toRecords(row.log, segments, own, row.summary)
  addSegments(tx, records)
  row.length += records.reduce((sum, { count }) => sum + count, 0)
  row.summary = after
  queue(tx.objectStore('sessions').put(row))
  return row.length
}
