/** IndexedDB asked for nothing but the requests that storing needs, with bytes that stand ready. */
import { openDB, type IDBPDatabase, type IDBPTransaction } from 'idb'
import type { Segment } from '../../../lib/log/jsonl.js'
import type { Listed } from '../contestant.js'

export class RawStore {
  #db!: IDBPDatabase

  async open(name: string): Promise<void> {
    this.#db = await openDB(name, 1, {
      upgrade(db) {
        db.createObjectStore('sessions', { keyPath: 'id' })
        db.createObjectStore('lineages', { keyPath: 'key' })
        db.createObjectStore('segments', { keyPath: ['log', 'first'] })
      },
    })
  }

  async fill(row: Listed, segments: readonly Segment[]): Promise<void> {
    await this.#write(['sessions', 'segments'], (tx) => {
      add(tx, row.id, segments)
      tx.objectStore('sessions').put(row)
    })
  }

  async append(id: string, segments: readonly Segment[]): Promise<void> {
    await this.#write(['sessions', 'segments'], async (tx) => {
      const row = (await tx.objectStore('sessions').get(id)) as Listed
      for (const { count } of segments) row.length += count
      add(tx, id, segments)
      tx.objectStore('sessions').put(row)
    })
  }

  async segments(id: string): Promise<Segment[]> {
    return (await this.#db.getAll('segments', IDBKeyRange.bound([id, 0], [id, Infinity]))) as Segment[]
  }

  /** What one record needs that says where the rest is, and a look at where that ends. As safe as ours: after a crash. */
  async fork(source: string, child: string, boundary?: number): Promise<void> {
    const stores = ['sessions', 'lineages', 'segments']
    await this.#write(
      stores,
      async (tx) => {
        const row = (await tx.objectStore('sessions').get(source)) as Listed
        const length = boundary === undefined ? row.length : boundary + 1
        // A boundary in the middle may be inside a segment.
        if (length < row.length) {
          const before = IDBKeyRange.bound([source, 0], [source, boundary])
          const cursor = await tx.objectStore('segments').openKeyCursor(before, 'prev')
          await tx.objectStore('segments').get(cursor!.key)
        }
        tx.objectStore('lineages').put({ key: child, logs: [source], ends: [length] })
        tx.objectStore('sessions').put({ ...row, id: child, length, lineage: child })
      },
      'relaxed',
    )
  }

  list(): Promise<unknown[]> {
    return this.#db.getAll('sessions')
  }

  async delete(id: string): Promise<void> {
    await this.#write(['sessions', 'segments'], (tx) => {
      tx.objectStore('sessions').delete(id)
      tx.objectStore('segments').delete(IDBKeyRange.bound([id, 0], [id, Infinity]))
    })
  }

  close(): void {
    this.#db.close()
  }

  async #write(
    stores: string[],
    body: (tx: Writing) => Promise<void> | void,
    durability: 'strict' | 'relaxed' = 'strict',
  ): Promise<void> {
    const tx = this.#db.transaction(stores, 'readwrite', { durability }) as unknown as Writing
    await body(tx)
    tx.commit()
    await tx.done
  }
}

function add(tx: Writing, log: string, segments: readonly Segment[]): void {
  for (const { first, count, bytes } of segments) tx.objectStore('segments').add({ log, first, count, bytes })
}

/** Requests are not waited for one by one. */
interface Writing {
  objectStore(name: string): {
    get(key: IDBValidKey): Promise<unknown>
    openKeyCursor(range: IDBKeyRange, direction: 'prev'): Promise<{ key: IDBValidKey } | null>
    add(value: object): void
    put(value: object): void
    delete(key: IDBValidKey | IDBKeyRange): void
  }
  commit(): void
  done: IDBPTransaction['done']
}
