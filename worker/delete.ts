/** Deleting sessions, and what nobody reaches any more. */
import type { SessionId } from '../lib/log/event.js'
import type { Database } from './database.js'
import { crc32 } from './checksum.js'
import { isUnreadable } from './failures.js'
import type { LineageRecord, SessionRow } from './records.js'
import { isStored } from './sessions.js'
import { isSoundLineage, isSoundRow } from './sound.js'
import { cutPart, firstAt, isIntact, logRange, readable } from './segments.js'
import { queue, type WriteTransaction } from './transaction.js'

/** One transaction for all of them: whoever reads sees every session whole or gone. */
export function deleteSessions(db: Database, ids: readonly SessionId[]): Promise<('deleted' | 'missing')[]> {
  return remove(db, async (tx, cuts, isAgain) => {
    const rows = await Promise.all(ids.map((id) => tx.objectStore('sessions').get(id)))
    // A reservation is its own page's to take back.
    await removeRows(tx, rows.filter(isStored), cuts)
    // What is gone when it is run once more may be so by the first run.
    return rows.map((row) => (isStored(row) || (isAgain && row === undefined) ? 'deleted' : 'missing'))
  })
}

/** Takes back what an operation made, unless somebody has taken it over since. */
export function undo(db: Database, op: string): Promise<void> {
  return remove(db, async (tx, cuts) => {
    const row = await tx.objectStore('sessions').index('log').get(op)
    if (row?.epoch === op) await removeRows(tx, [row], cuts)
  })
}

/** Where a segment that is to be cut cannot be read, it is done once more, and such segments are left whole. */
async function remove<T>(
  db: Database,
  body: (tx: WriteTransaction, cuts: boolean, isAgain: boolean) => Promise<T>,
): Promise<T> {
  const run = (cuts: boolean): Promise<T> =>
    db.write(['sessions', 'lineages', 'segments'], { strict: true }, (tx, isAgain) => body(tx, cuts, isAgain))
  try {
    return await run(true)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return run(false)
  }
}

async function removeRows(tx: WriteTransaction, rows: readonly SessionRow[], cuts: boolean): Promise<void> {
  for (const { id } of rows) queue(tx.objectStore('sessions').delete(id))
  // What a damaged record says of its logs may be about those of others; what is wrong about it stays behind.
  const sound = rows.filter(isSoundRow)
  const logs = new Set(sound.map(({ log }) => log))
  const lineages = new Set(sound.map(({ lineage }) => lineage))
  for (const key of lineages) await freeLineage(tx, key, logs)
  for (const log of logs) await trimLog(tx, log, cuts)
}

/** Removes a lineage that no session and no younger lineage names, then the ones it hung on. Collects their logs. */
async function freeLineage(tx: WriteTransaction, first: string | undefined, logs: Set<string>): Promise<void> {
  const lineages = tx.objectStore('lineages')
  for (let key = first; key !== undefined;) {
    const heirs = await tx.objectStore('sessions').index('lineage').count(key)
    const younger = await lineages.index('up').count(key)
    const lineage: LineageRecord | undefined = heirs + younger > 0 ? undefined : await lineages.get(key)
    if (lineage === undefined) return
    await lineages.delete(key)
    if (!isSoundLineage(lineage)) return
    for (const log of lineage.logs) logs.add(log)
    key = lineage.up
  }
}

/** Cuts a log without a session back to the last event that a lineage still reaches; else only between two segments. */
async function trimLog(tx: WriteTransaction, log: string, cuts: boolean): Promise<void> {
  if ((await tx.objectStore('sessions').index('log').count(log)) > 0) return
  const end = (await endsInto(tx, log)).reduce((a, b) => Math.max(a, b), 0)
  const segments = tx.objectStore('segments')
  queue(segments.delete(logRange(log, end)))
  const first = end === 0 || !cuts ? undefined : await firstAt(tx, log, end - 1)
  const straddling = first === undefined ? undefined : await readable(first, segments.get([log, first]))
  // Damaged bytes are left for whoever reads them to find.
  if (straddling === undefined || straddling.first + straddling.count <= end || !isIntact(straddling)) return
  const part = cutPart(straddling, straddling.first, end, false)
  if (part === undefined) return
  const { count, bytes } = part
  const kept = (seqs: number[]): number[] => seqs.filter((seq) => seq < end)
  const { starts, ends, original: _gone, ...rest } = straddling
  queue(segments.put({ ...rest, count, bytes, sum: crc32(bytes), starts: kept(starts), ends: kept(ends) }))
}

/** Where spans of lineages end in this log. */
export async function endsInto(tx: WriteTransaction, log: string): Promise<number[]> {
  const lineages = await tx.objectStore('lineages').index('logs').getAll(log)
  return lineages.filter(isSoundLineage).flatMap(({ logs, ends }) => ends.filter((_, i) => logs[i] === log))
}
