/** What this library has written, read from its database past it. */
import { openDB } from 'idb'
import { Database } from '../../../worker/database.js'
import { merge } from '../../../worker/merge.js'
import type { SegmentRecord, SessionRow } from '../../../worker/records.js'

/** Joins small segments of a session's own log until there is nothing left to join, as the store does now and then. */
export async function mergeAll(database: string, id: string): Promise<void> {
  const db = new Database(database)
  while ((await merge(db, id)) > 0);
  await db.close()
}

/** Bytes in the segments of a session's own log, of which there have to be `events`: none is left out or counted twice. */
export async function ownBytes(database: string, id: string, events: number): Promise<number> {
  const db = await openDB(database)
  const { log } = (await db.get('sessions', id)) as SessionRow
  const segments = (await db.getAll('segments', IDBKeyRange.bound([log, 0], [log, Infinity]))) as SegmentRecord[]
  db.close()
  const count = segments.reduce((sum, segment) => sum + segment.count, 0)
  if (count !== events) throw new Error(`${events} events were streamed, and ${count} are in the segments`)
  return segments.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
}

/** All rows and lineages, as JSON: about what their structured clones take. */
export async function recordBytes(database: string): Promise<number> {
  const db = await openDB(database)
  const records = [...(await db.getAll('sessions')), ...(await db.getAll('lineages'))] as unknown[]
  db.close()
  return records.reduce<number>((sum, record) => sum + jsonBytes(record), 0)
}

export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength
}
