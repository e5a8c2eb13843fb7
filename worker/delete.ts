/** Deleting sessions, and what nobody reaches any more. */
import type { SessionId } from '../lib/log/event.js'
import { queue, type Database, type WriteTransaction } from './database.js'
import { crc32 } from './checksum.js'
import type { LineageRecord } from './records.js'
import { cutPart, firstAt, isIntact } from './segments.js'

/** One transaction for all of them: whoever reads sees every session whole or gone. */
export function deleteSessions(db: Database, ids: readonly SessionId[]): Promise<('deleted' | 'missing')[]> {
  return db.write(['sessions', 'lineages', 'segments'], { strict: true }, async (tx) => {
    const outcomes: ('deleted' | 'missing')[] = []
    const logs = new Set<string>()
    const lineages = new Set<string>()
    for (const id of ids) {
      const row = await tx.objectStore('sessions').get(id)
      outcomes.push(row === undefined || row.reserved ? 'missing' : 'deleted')
      if (row === undefined) continue
      logs.add(row.log)
      if (row.lineage !== undefined) lineages.add(row.lineage)
      await tx.objectStore('sessions').delete(id)
    }
    for (const key of lineages) await freeLineage(tx, key, logs)
    for (const log of logs) await trimLog(tx, log)
    return outcomes
  })
}

/** Removes a lineage that no session and no younger lineage names, then the ones it hung on. Collects their logs. */
async function freeLineage(tx: WriteTransaction, first: string, logs: Set<string>): Promise<void> {
  const lineages = tx.objectStore('lineages')
  for (let key: string | undefined = first; key !== undefined;) {
    const heirs = await tx.objectStore('sessions').index('lineage').count(key)
    const younger = await lineages.index('up').count(key)
    const lineage: LineageRecord | undefined = heirs + younger > 0 ? undefined : await lineages.get(key)
    if (lineage === undefined) return
    await lineages.delete(key)
    for (const log of lineage.logs) logs.add(log)
    key = lineage.up
  }
}

/** Cuts a log without a session back to the last event that a lineage still reaches. */
async function trimLog(tx: WriteTransaction, log: string): Promise<void> {
  if ((await tx.objectStore('sessions').index('log').count(log)) > 0) return
  const end = (await endsInto(tx, log)).reduce((a, b) => Math.max(a, b), 0)
  const segments = tx.objectStore('segments')
  queue(segments.delete(IDBKeyRange.bound([log, end], [log, Infinity])))
  const first = end === 0 ? undefined : await firstAt(tx, log, end - 1)
  const straddling = first === undefined ? undefined : await segments.get([log, first])
  // Damaged bytes are left for whoever reads them to find.
  if (straddling === undefined || straddling.first + straddling.count <= end || !isIntact(straddling)) return
  const { count, bytes } = cutPart(straddling, straddling.first, end, false)
  const kept = (seqs: number[]): number[] => seqs.filter((seq) => seq < end)
  const { starts, ends, original: _gone, ...rest } = straddling
  queue(segments.put({ ...rest, count, bytes, sum: crc32(bytes), starts: kept(starts), ends: kept(ends) }))
}

/** Where spans of lineages end in this log. */
export async function endsInto(tx: WriteTransaction, log: string): Promise<number[]> {
  const lineages = await tx.objectStore('lineages').index('logs').getAll(log)
  return lineages.flatMap(({ logs, ends }) => ends.filter((_, i) => logs[i] === log))
}
