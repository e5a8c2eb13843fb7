/**
 * The limit: IndexedDB in the page, without a worker in between, asked for nothing but the requests that storing needs,
 * with bytes that stand ready. It checks nothing, keeps nothing in memory and knows no rules.
 */
import { openDB, type IDBPDatabase, type IDBPTransaction } from 'idb'
import type { SessionEvent } from 'idb-sessions'
import { decodeStorageRecord } from 'idb-sessions/log'
import { decodeText, encodeSegments, type Segment } from '../../../lib/log/jsonl.js'
import { listedOf, type Contestant, type Keeper, type Listed } from '../contestant.js'
import { countMessages } from './deriving.js'

const STRICT = { durability: 'strict' } as const

export const raw: Contestant = {
  name: 'raw IndexedDB',
  async open(name) {
    return new RawKeeper(
      await openDB(name, 1, {
        upgrade(db) {
          db.createObjectStore('sessions', { keyPath: 'id' })
          db.createObjectStore('lineages', { keyPath: 'key' })
          db.createObjectStore('segments', { keyPath: ['log', 'first'] })
        },
      }),
    )
  },
}

class RawKeeper implements Keeper {
  readonly #segments = new WeakMap<readonly SessionEvent[], Segment[]>()

  constructor(private readonly db: IDBPDatabase) {}

  prepare(events: readonly SessionEvent[]): void {
    this.#segments.set(events, encodeSegments(events))
  }

  async fill(id: string, events: readonly SessionEvent[]): Promise<void> {
    await this.#write(['sessions', 'segments'], (tx) => {
      this.#add(tx, id, events)
      tx.objectStore('sessions').put(listedOf(id, events))
    })
  }

  async append(id: string, events: readonly SessionEvent[]): Promise<void> {
    await this.#write(['sessions', 'segments'], async (tx) => {
      const row = (await tx.objectStore('sessions').get(id)) as Listed
      row.length += events.length
      this.#add(tx, id, events)
      tx.objectStore('sessions').put(row)
    })
  }

  async open(id: string): Promise<number> {
    const segments = (await this.db.getAll('segments', IDBKeyRange.bound([id, 0], [id, Infinity]))) as Segment[]
    const lines = segments.flatMap(({ bytes }) => {
      return JSON.parse(`[${decodeText(bytes).trimEnd().replaceAll('\n', ',')}]`) as unknown[]
    })
    return countMessages(lines.flatMap(decodeStorageRecord))
  }

  /** What one record needs that says where the rest is. */
  async fork(source: string, child: string): Promise<void> {
    await this.#write(['sessions', 'lineages'], async (tx) => {
      const row = (await tx.objectStore('sessions').get(source)) as Listed
      tx.objectStore('lineages').put({ key: child, logs: [source], ends: [row.length] })
      tx.objectStore('sessions').put({ ...row, id: child, lineage: child })
    })
  }

  async list(): Promise<number> {
    return (await this.db.getAll('sessions')).length
  }

  async delete(id: string): Promise<void> {
    await this.#write(['sessions', 'segments'], (tx) => {
      tx.objectStore('sessions').delete(id)
      tx.objectStore('segments').delete(IDBKeyRange.bound([id, 0], [id, Infinity]))
    })
  }

  async close(): Promise<void> {
    this.db.close()
  }

  #add(tx: Writing, log: string, events: readonly SessionEvent[]): void {
    const segments = this.#segments.get(events) ?? encodeSegments(events)
    for (const { first, count, bytes } of segments) tx.objectStore('segments').add({ log, first, count, bytes })
  }

  async #write(stores: string[], body: (tx: Writing) => Promise<void> | void): Promise<void> {
    const tx = this.db.transaction(stores, 'readwrite', STRICT) as unknown as Writing
    await body(tx)
    tx.commit()
    await tx.done
  }
}

/** Requests are not waited for one by one. */
interface Writing {
  objectStore(name: string): {
    get(key: string): Promise<unknown>
    add(value: object): void
    put(value: object): void
    delete(key: IDBValidKey | IDBKeyRange): void
  }
  commit(): void
  done: IDBPTransaction['done']
}
