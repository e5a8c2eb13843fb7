/** What a database really holds, past all code of the library. */
import { openDB } from 'idb'
import type { SegmentRecord, SessionRow } from '../../worker/records.js'
import type { Page } from './page.js'

/** The counts of a database without a session. */
export const NOTHING = { sessions: 0, lineages: 0, segments: 0, staging: 0, store: 1 }

/** Every record of every kind. */
export async function allRecords(name: string): Promise<Record<string, unknown[]>> {
  const db = await openDB(name)
  const records: Record<string, unknown[]> = {}
  const tx = db.transaction([...db.objectStoreNames])
  for (const store of db.objectStoreNames) records[store] = await tx.objectStore(store).getAll()
  await tx.done
  db.close()
  return records
}

export async function segments(name: string): Promise<SegmentRecord[]> {
  return (await allRecords(name))['segments'] as SegmentRecord[]
}

export async function rows(name: string): Promise<SessionRow[]> {
  return (await allRecords(name))['sessions'] as SessionRow[]
}

/** Changes the segments of a database, as a broken disk does. */
export async function damage(
  name: string,
  change: (segment: SegmentRecord) => SegmentRecord | undefined,
): Promise<void> {
  const db = await openDB(name)
  for (const segment of (await db.getAll('segments')) as SegmentRecord[]) {
    const changed = change(segment)
    if (changed === undefined) await db.delete('segments', [segment.log, segment.first])
    else await db.put('segments', changed)
  }
  db.close()
}

/** How many events all segments of a database hold. */
export async function storedEvents({ name }: Page): Promise<number> {
  return (await segments(name)).reduce((sum, { count }) => sum + count, 0)
}
