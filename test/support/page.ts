/**
 * A page of its own: a store, its connection and its worker. In Node the worker's code answers over a MessageChannel on
 * a fake IndexedDB; in a browser it is the real Worker on the real thing. Several pages may hold one database.
 */
import { deleteDB, openDB } from 'idb'
import { inject } from 'vitest'
import { serve } from 'idb-sessions/worker'
import type { Rules } from '../../lib/log/turns.js'
import { Connection } from '../../lib/connection.js'
import { SessionStore } from '../../lib/store.js'
import { engine, inBrowser } from './engine.js'

export { inBrowser }
export const hasLocks = (globalThis.navigator?.locks as LockManager | undefined) !== undefined

export interface Page {
  name: string
  store: SessionStore
  connection: Connection
  /** Ends the worker without a word; the page lives on. */
  killWorker(): void
  /** Ends the page without a word, and its worker with it. */
  crash(): void
}

export interface PageOptions {
  /** Of the database. Default: a new one. */
  name?: string
  rules?: Rules
  eventTypes?: string[]
}

export function newName(): string {
  return `test-${crypto.randomUUID()}`
}

export async function openPage({ name = newName(), rules = 'rfc', eventTypes = [] }: PageOptions = {}): Promise<Page> {
  let worker: Worker | undefined
  const connection = new Connection(name, () => (worker = newWorker()))
  await connection.open()
  const store = new SessionStore(connection, rules, new Set(eventTypes), { closing: () => {} })
  const killWorker = (): void => worker?.terminate()
  const crash = (): void => {
    killWorker()
    connection.end(new Error('the page is gone'))
  }
  return { name, store, connection, killWorker, crash }
}

let script: string | undefined

/** A worker that runs the package's own code. */
export function newWorker(): Worker {
  if (inBrowser) {
    script ??= URL.createObjectURL(new Blob([inject('worker')], { type: 'text/javascript' }))
    return new Worker(script, { type: 'module' })
  }
  const { port1, port2 } = new MessageChannel()
  const close = serve(port1)
  const terminate = (): void => {
    port1.close()
    port2.close()
    void close()
  }
  // As much of a Worker as a page needs.
  return Object.assign(port2, { terminate }) as unknown as Worker
}

/** How many records of each kind a database holds. */
export async function countRecords(name: string): Promise<Record<string, number>> {
  const db = await openDB(name)
  const counts: Record<string, number> = {}
  const tx = db.transaction([...db.objectStoreNames])
  for (const store of db.objectStoreNames) counts[store] = await tx.objectStore(store).count()
  // Nothing of it is left for a fault to meet.
  await tx.done
  db.close()
  return counts
}

/** Removes a database that no page needs any more, to save memory. */
export async function drop(name: string): Promise<void> {
  const dropped = deleteDB(name)
  // WebKit keeps some connections of workers that were terminated while they wrote, and waits for them for ever.
  if (engine !== 'webkit') await dropped
}
