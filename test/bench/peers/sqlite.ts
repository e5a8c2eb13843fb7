/** SQLite's own WASM build on OPFS, in a worker that is asked through Comlink: one row per event. */
import { wrap, type Remote } from 'comlink'
import type { SessionEvent } from 'idb-sessions'
import { listedOf, type Contestant, type Keeper } from '../contestant.js'
import { countMessages } from './deriving.js'
import type { Sqlite } from './sqlite-worker.js'

export const sqlite: Contestant = {
  name: 'SQLite WASM on OPFS',
  async open(name) {
    const worker = new Worker(new URL('sqlite-worker.ts', import.meta.url), { type: 'module' })
    const remote = wrap<Sqlite>(worker)
    await remote.open(name)
    return new SqliteKeeper(worker, remote)
  },
}

/** ms */
const GATHER = 100

class SqliteKeeper implements Keeper {
  /** Tokens gather for a moment, as they do here: SQLite syncs its file for each transaction. */
  readonly #gathered = new Map<string, SessionEvent[]>()
  #sent: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly worker: Worker,
    private readonly remote: Remote<Sqlite>,
  ) {}

  async fill(id: string, events: readonly SessionEvent[]): Promise<void> {
    await this.remote.append(listedOf(id, events), events.map(lineOf), events[0]?.seq ?? 0)
  }

  async append(id: string, events: readonly SessionEvent[]): Promise<void> {
    await Promise.all([this.#sent, this.#send(id)])
    if (events.length > 0) await this.fill(id, events)
  }

  stream(id: string, event: SessionEvent): void {
    const gathered = this.#gathered.get(id)
    if (gathered !== undefined) return void gathered.push(event)
    this.#gathered.set(id, [event])
    setTimeout(() => {
      this.#sent = this.#send(id)
    }, GATHER)
  }

  async #send(id: string): Promise<void> {
    const gathered = this.#gathered.get(id)
    this.#gathered.delete(id)
    if (gathered !== undefined) await this.fill(id, gathered)
  }

  async open(id: string): Promise<number> {
    const lines = await this.remote.read(id)
    return countMessages(lines.map((line) => JSON.parse(line) as SessionEvent))
  }

  async fork(source: string, child: string, boundary = 2 ** 31): Promise<void> {
    await this.remote.fork(source, child, boundary)
  }

  async list(): Promise<number> {
    return (await this.remote.list()).length
  }

  async delete(id: string): Promise<void> {
    await this.remote.delete(id)
  }

  async close(): Promise<void> {
    await this.remote.close()
    this.worker.terminate()
  }
}

function lineOf(event: SessionEvent): string {
  return JSON.stringify(event)
}
