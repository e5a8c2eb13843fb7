/** Dexie with one row per event, as its documentation shows: `bulkAdd`, compound keys, a transaction around it. */
import { Dexie, type Table } from 'dexie'
import type { SessionEvent } from 'idb-sessions'
import { listedOf, type Contestant, type Keeper, type Listed } from '../contestant.js'
import { countMessages } from './deriving.js'

export const dexie: Contestant = {
  name: 'Dexie, row per event',
  async open(name) {
    const keeper = new DexieKeeper(name)
    await keeper.ready()
    return keeper
  },
}

type Row = SessionEvent & { id: string }

class Database extends Dexie {
  declare events: Table<Row, [string, number]>
  declare sessions: Table<Listed, string>

  constructor(name: string, chromeTransactionDurability: 'strict' | 'relaxed') {
    super(name, { chromeTransactionDurability })
    this.version(1).stores({ events: '[id+seq]', sessions: 'id' })
  }
}

class DexieKeeper implements Keeper {
  /** Tokens and forks are written as by default, ends of turns as safely as ours. */
  readonly #relaxed: Database
  readonly #strict: Database
  #streamed: Promise<unknown>[] = []

  constructor(name: string) {
    this.#relaxed = new Database(name, 'relaxed')
    this.#strict = new Database(name, 'strict')
  }

  async ready(): Promise<void> {
    await this.#relaxed.open()
    await this.#strict.open()
  }

  async fill(id: string, events: readonly SessionEvent[]): Promise<void> {
    await add(this.#strict, id, events)
  }

  async append(id: string, events: readonly SessionEvent[]): Promise<void> {
    await Promise.all(this.#streamed.splice(0))
    const strict = this.#strict
    await strict.transaction('rw', strict.events, strict.sessions, async () => {
      const { length } = (await strict.sessions.get(id))!
      await strict.events.bulkAdd(events.map((event) => ({ ...event, id })))
      await strict.sessions.put({ ...listedOf(id, events), length: length + events.length })
    })
  }

  stream(id: string, event: SessionEvent): void {
    this.#streamed.push(this.#relaxed.events.add({ ...event, id }))
  }

  async open(id: string): Promise<number> {
    return countMessages(await this.#rows(id))
  }

  async fork(source: string, child: string, boundary = Infinity): Promise<void> {
    await add(this.#relaxed, child, await this.#rows(source, boundary))
  }

  async list(): Promise<number> {
    return (await this.#relaxed.sessions.toArray()).length
  }

  async delete(id: string): Promise<void> {
    const { events, sessions } = this.#strict
    await this.#strict.transaction('rw', events, sessions, async () => {
      await events.where('[id+seq]').between([id, 0], [id, Infinity]).delete()
      await sessions.delete(id)
    })
  }

  async close(): Promise<void> {
    this.#relaxed.close()
    this.#strict.close()
  }

  #rows(id: string, boundary = Infinity): Promise<Row[]> {
    return this.#relaxed.events.where('[id+seq]').between([id, 0], [id, boundary], true, true).toArray()
  }
}

async function add(database: Database, id: string, added: readonly SessionEvent[]): Promise<void> {
  const { events, sessions } = database
  await database.transaction('rw', events, sessions, async () => {
    await events.bulkAdd(added.map((event) => ({ ...event, id })))
    await sessions.put(listedOf(id, added))
  })
}
