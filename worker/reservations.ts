/**
 * Ids that are taken by a session without an event. A reservation goes with its page: the page holds a lock while it
 * lives, and whoever opens the database next frees the row. Without Web Locks such rows stay; they are listed nowhere
 * and block nobody.
 */
import type { SessionId } from '../lib/log/event.js'
import { pageLock } from '../lib/wire/protocol.js'
import type { Database } from './database.js'
import { ifFree } from './locks.js'
import { queue } from './transaction.js'

export function unreserve(db: Database, id: SessionId, epoch: string): Promise<void> {
  return db.write(['sessions'], {}, async (tx) => {
    const row = await tx.objectStore('sessions').get(id)
    if (row?.reserved !== undefined && row.epoch === epoch) queue(tx.objectStore('sessions').delete(id))
  })
}

/** Frees what dead pages have left behind. */
export async function freeReservations(db: Database): Promise<void> {
  const rows = await db.read(['sessions'], (tx) => tx.objectStore('sessions').getAll())
  for (const { id, epoch, reserved } of rows) {
    if (reserved !== undefined) await ifFree(pageLock(db.name, reserved), () => unreserve(db, id, epoch))
  }
}
