/** The whole session as one value, put again after each turn: what several chat UIs do. */
import { openDB, type IDBPDatabase } from 'idb'
import type { SessionEvent } from 'idb-sessions'
import { listedOf, type Contestant, type Keeper, type Listed } from '../contestant.js'
import { countMessages } from './deriving.js'

export const wholeSession: Contestant = {
  name: 'whole session per put',
  async open(name) {
    const db = await openDB(name, 1, {
      upgrade(db) {
        db.createObjectStore('sessions', { keyPath: 'id' })
      },
    })
    return new WholeSessionKeeper(db)
  },
}

interface Row extends Listed {
  events: SessionEvent[]
}

class WholeSessionKeeper implements Keeper {
  readonly #open = new Map<string, SessionEvent[]>()

  constructor(private readonly db: IDBPDatabase) {}

  async fill(id: string, events: readonly SessionEvent[]): Promise<void> {
    await this.#put({ ...listedOf(id, events), events: [...events] })
  }

  async append(id: string, added: readonly SessionEvent[]): Promise<void> {
    if (!this.#open.has(id)) await this.open(id)
    const events = this.#open.get(id)!
    events.push(...added)
    await this.#put({ ...listedOf(id, events), events })
  }

  stream(id: string, event: SessionEvent): void {
    this.#open.get(id)!.push(event)
  }

  async open(id: string): Promise<number> {
    const { events } = await this.#get(id)
    this.#open.set(id, events)
    return countMessages(events)
  }

  async leave(id: string): Promise<void> {
    this.#open.delete(id)
  }

  async fork(source: string, child: string, boundary = Infinity): Promise<void> {
    const { events } = await this.#get(source)
    const prefix = events.slice(0, boundary + 1)
    await this.#put({ ...listedOf(child, prefix), events: prefix }, 'relaxed')
  }

  async delete(id: string): Promise<void> {
    await this.db.delete('sessions', id)
  }

  async close(): Promise<void> {
    this.db.close()
  }

  async #get(id: string): Promise<Row> {
    return (await this.db.get('sessions', id)) as Row
  }

  async #put(row: Row, durability: 'strict' | 'relaxed' = 'strict'): Promise<void> {
    const tx = this.db.transaction('sessions', 'readwrite', { durability })
    await Promise.all([tx.store.put(row), tx.done])
  }
}
