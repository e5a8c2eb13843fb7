/** Keeps Chromium from writing on in a log that a crash has cut short. */
import { deleteDB, openDB } from 'idb'
import { afterSeconds } from '../lib/wire/limit.js'

/** Of an origin: there for a moment, and empty. */
const HELPER = 'idb-sessions: new log'
/** Another tab that is frozen with the helper open must keep nobody waiting, s. */
const LIMIT = 1

/**
 * A browser that is killed in the middle of a write leaves half a record at the end of the origin's LevelDB. The next start
 * ignores it, as it should, but goes on writing behind it; the start after that finds the log broken there, and Chromium
 * replaces all databases of the origin by empty ones (google/leveldb#1287). Deleting a database makes LevelDB move what its
 * log holds into tables and begin a new log, in some milliseconds. It never fails: without it, one is as well off as before.
 */
export async function beginNewLog(): Promise<void> {
  if (!globalThis.navigator?.userAgent?.includes('Chrome/')) return
  let inTime = (): void => {}
  const limit = new Promise<void>((resolve) => (inTime = afterSeconds(LIMIT, resolve)))
  await Promise.race([makeAndDelete().catch(() => {}), limit])
  inTime()
}

async function makeAndDelete(): Promise<void> {
  const db = await openDB(HELPER)
  db.close()
  await deleteDB(HELPER)
}
