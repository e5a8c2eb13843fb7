/** The stores of the database, and telling one of ours from others. */
import type { IDBPDatabase } from 'idb'
import { SessionStoreError } from '../lib/wire/errors.js'
import { randomToken } from '../lib/wire/token.js'
import type { Schema, StoreRecord } from './records.js'
import { complete, type Terms } from './transaction.js'

/** How long reading one record may take, s. Nobody writes beside it: only an engine that hangs takes longer. */
const RECORD_LIMIT = 10

/** The stores of a version, and how a database of an older one becomes that. */
export interface Format {
  version: number
  upgrade(db: IDBPDatabase<Schema>, from: number): void
}

export const FORMAT: Format = { version: 1, upgrade: createStores }

function createStores(db: IDBPDatabase<Schema>): void {
  const sessions = db.createObjectStore('sessions', { keyPath: 'id' })
  sessions.createIndex('log', 'log')
  sessions.createIndex('lineage', 'lineage')
  const lineages = db.createObjectStore('lineages', { keyPath: 'key' })
  lineages.createIndex('logs', 'logs', { multiEntry: true })
  lineages.createIndex('up', 'up')
  db.createObjectStore('segments', { keyPath: ['log', 'first'] })
  db.createObjectStore('staging', { keyPath: 'log' })
  const store = db.createObjectStore('store', { keyPath: 'key' })
  // What becomes of it, the upgrade's own outcome tells.
  store.put(newStore(FORMAT.version)).catch(() => {})
}

export function newStore(version: number): StoreRecord {
  return { key: 'store', version, id: randomToken() }
}

/** What the database says of itself. Throws `FORMAT_UNSUPPORTED` when it is none of ours. Closes it when it throws. */
export async function storeRecord(db: IDBPDatabase<Schema>, name: string): Promise<StoreRecord> {
  try {
    const terms: Terms<'readonly'> = {
      stores: ['store'],
      mode: 'readonly',
      durability: 'default',
      seconds: RECORD_LIMIT,
    }
    const record = await complete(db, terms, (tx) => tx.objectStore('store').get('store'))
    if (record !== undefined) return record
    throw new SessionStoreError('FORMAT_UNSUPPORTED', `'${name}' is no session store`)
  } catch (error) {
    db.close()
    throw error
  }
}
