/* oxlint-disable vitest/no-standalone-expect -- the steps of a run compare as they go */
/**
 * A page to which everything happens: its worker dies, answers are lost, transactions are given up, the disk is full, it is
 * reloaded. Whatever a call says then, what was acknowledged is there, once and in order.
 */
import { deleteDB } from 'idb'
import { expect } from 'vitest'
import { interruptedTurnClosers, lastForkPoint, SessionStoreError, type Session, type SessionEvent } from 'idb-sessions'
import { faultAt, type Armed } from '../support/faults.js'
import { newName, openPage, type Page } from '../support/page.js'
import { allRecords } from '../support/records.js'
import { expectSame } from '../support/same.js'
import { outcome, ticks } from './compare.js'
import { OWN_TYPES, SHAPES } from './operations.js'
import type { Trouble, TroubledOp } from './troubled-operations.js'

/** What a call in trouble may say. */
const CODES = ['WORKER_FAILED', 'STORAGE_FULL', 'CONNECTION_LOST']

interface Known {
  /** Everything that was appended or loaded. */
  events: readonly SessionEvent[]
  /** How many of them are known to be stored. */
  acknowledged: number
}

export async function runTroubled(operations: readonly TroubledOp[]): Promise<TroubledRun> {
  const run = new TroubledRun(await openPage({ name: newName(), eventTypes: OWN_TYPES }))
  run.watchCalls()
  try {
    for (const operation of operations) await run.perform(operation)
    await run.settle()
    await run.deleteAll()
  } finally {
    run.calm()
    run.page.connection.end(new Error('the run is over'))
    await deleteDB(run.page.name)
  }
  return run
}

export class TroubledRun {
  /** What is stored, as far as this page must know. */
  readonly known = new Map<string, Known>()
  /** How often it came to what; `failed`: calls that said so. */
  readonly met = { troubles: 0, failed: 0, unsent: 0 }
  #armed: Armed | undefined
  #calls = Infinity
  #death: 'before' | 'during' | 'after' = 'before'
  #lastId = 0

  constructor(public page: Page) {}

  async perform(op: TroubledOp): Promise<void> {
    switch (op.op) {
      case 'trouble':
        return this.#arm(op.trouble)
      case 'create':
        return this.#arrive(`s${++this.#lastId}`, this.#seed(op.seed), (id, seed) =>
          this.page.store.create(id, seed === undefined ? {} : { seed }),
        )
      case 'fork':
        return this.#fork(op.of)
      case 'import':
        return this.#import(op.of)
      case 'append':
        return this.#append(op.at, op.shape, op.size, op.after)
      case 'flush':
        return this.#onLive(op.at, async (session) => void (await this.#try(this.page.store.flush(session))))
      case 'release':
        return this.#onLive(op.at, async (session) => {
          await this.#try(this.page.store.release(session))
          if (session.state === 'released') this.#keep(session)
          else expect(session.state).toBe('live')
        })
      case 'load':
        return this.#load(op.at)
      case 'delete':
        return this.#delete(op.at)
      case 'merge':
        return this.#onStored(op.at, async (id) => void (await this.#try(this.page.connection.call('merge', id))))
      case 'reload':
        return this.#reload()
    }
  }

  /** Nothing goes wrong any more: all that is live is stored, and another page finds everything as it should be. */
  async settle(): Promise<void> {
    this.calm()
    for (const session of this.page.store.list()) {
      expect(session.state).toBe('live')
      await surely(() => this.page.store.flush(session))
      this.#keep(session)
      expect(session.durable).toBe(session.seq)
    }
    const other = await openPage({ name: this.page.name, eventTypes: OWN_TYPES })
    const stored = (await other.store.stored()).map(({ header }) => header.id)
    const expected = [...this.known].filter(([, { events }]) => events.length > 0)
    expect(stored.filter((id) => !this.known.has(id))).toEqual([])
    for (const [id, { events }] of expected) {
      const found = await other.store.inspect(id)
      // A turn that is live here is not closed by who looks at it.
      const closers = this.page.store.get(id) === undefined ? interruptedTurnClosers(events) : []
      expectSame(found.events, [...events, ...closers])
    }
    other.connection.end(new Error('seen'))
  }

  async deleteAll(): Promise<void> {
    await surely(() => this.page.store.delete([...this.known.keys()]))
    const { sessions, lineages, segments, staging } = await allRecords(this.page.name)
    // Reservations and what was staged of dead pages are freed later, where there are no Web Locks.
    expect(sessions!.filter((row) => (row as { reserved?: string }).reserved === undefined)).toEqual([])
    expect(lineages).toEqual([])
    const staged = staging!.map((record) => (record as { log: string }).log)
    expect(segments!.filter((record) => !staged.includes((record as { log: string }).log))).toEqual([])
  }

  calm(): void {
    if (this.#armed?.happened) this.met.troubles++
    this.#armed?.end()
    this.#armed = undefined
    this.#calls = Infinity
  }

  watchCalls(): void {
    const { page } = this
    const call = page.connection.call.bind(page.connection) as (...args: unknown[]) => Promise<unknown>
    page.connection.call = (async (...args: unknown[]) => {
      if (--this.#calls > 0 || !Number.isFinite(this.#calls)) return call(...args)
      this.#calls = Infinity
      this.met.troubles++
      if (this.#death === 'before') page.killWorker()
      const answer = call(...args)
      answer.catch(() => {})
      if (this.#death === 'during') {
        await ticks(3)
        page.killWorker()
      }
      if (this.#death !== 'after') return answer
      await answer.finally(() => page.killWorker())
      throw new SessionStoreError('WORKER_FAILED', 'it died before it answered')
    }) as typeof page.connection.call
  }

  #arm(trouble: Trouble): void {
    this.calm()
    if (trouble.kind === 'full') this.#armed = faultAt(trouble.at, 'full')
    else if (trouble.kind === 'gives up') this.#armed = faultAt(trouble.at, 'aborts', 2)
    else if (trouble.kind === 'closes') this.#armed = faultAt(trouble.at, 'closes', 2)
    else {
      this.#calls = trouble.at
      this.#death = trouble.kind
    }
  }

  /** Undefined: it failed, in a way that it may. */
  async #try<T>(promise: Promise<T>): Promise<T | undefined> {
    const { value, error } = await outcome(promise)
    if (error === undefined) return value
    this.met.failed++
    expect(error).toBeInstanceOf(SessionStoreError)
    expect(CODES).toContain((error as SessionStoreError).code)
    return undefined
  }

  /** A call that makes a session whole or not at all. */
  async #arrive(
    id: string,
    seed: readonly SessionEvent[] | undefined,
    make: (id: string, seed: readonly SessionEvent[] | undefined) => Promise<unknown>,
  ): Promise<void> {
    const made = await this.#try(make(id, seed))
    const events = seed ?? []
    if (made !== undefined) this.known.set(id, { events, acknowledged: events.length })
    else await this.#find(id, [events])
  }

  async #fork(of: number): Promise<void> {
    const id = this.#any(of)
    const { events } = (id !== undefined && this.#now(id)) || { events: [] }
    const end = lastForkPoint(events)
    if (id === undefined || end === undefined) return
    await this.#arrive(`s${++this.#lastId}`, events.slice(0, end + 1), (child) => this.page.store.fork(id, end, child))
  }

  async #import(of: number): Promise<void> {
    const id = this.#any(of)
    if (id === undefined || this.page.store.get(id) !== undefined) return
    const { events } = this.known.get(id)!
    if (events.length === 0) return
    const file = await this.#try(this.page.store.exportLog(id).then((stream) => new Response(stream).text()))
    if (file === undefined) return
    await this.#arrive(`s${++this.#lastId}`, events, (copy) => this.page.store.importLog(file, { id: copy }))
  }

  async #append(at: number, shape: string, size: number, after: number): Promise<void> {
    await this.#onLive(at, async (session) => {
      SHAPES[shape]!(session, size)
      this.#keep(session)
      await ticks(after)
      this.#keep(session)
    })
  }

  async #load(at: number): Promise<void> {
    await this.#onStored(at, async (id) => {
      const { events } = this.known.get(id)!
      const closed = [...events, ...interruptedTurnClosers(events)]
      const session = await this.#try(this.page.store.load(id))
      if (session === undefined) {
        await this.#find(id, [events, closed])
        return
      }
      expectSame(session.events, closed)
      this.#keep(session)
    })
  }

  async #delete(at: number): Promise<void> {
    const id = this.#any(at)
    if (id === undefined) return
    const live = this.page.store.get(id)
    if (live !== undefined) this.#keep(live)
    const outcomes = await this.#try(this.page.store.delete(id))
    expect(this.page.store.get(id)).toBeUndefined()
    const { events, acknowledged } = this.known.get(id)!
    this.known.delete(id)
    // Unsent events go with it in any case.
    if (outcomes === undefined) {
      await this.#find(
        id,
        Array.from({ length: events.length - acknowledged + 1 }, (_, i) => events.slice(0, acknowledged + i)),
      )
    }
  }

  /** The page is gone, and its worker. What was acknowledged is there, and nothing that was not appended. */
  async #reload(): Promise<void> {
    const { page } = this
    const live = page.store.list()
    for (const session of live) this.#keep(session)
    this.calm()
    page.crash()
    this.page = await openPage({ name: page.name, eventTypes: OWN_TYPES })
    this.watchCalls()
    for (const { id } of live) {
      const { events, acknowledged } = this.known.get(id)!
      this.known.delete(id)
      const prefixes = Array.from({ length: events.length - acknowledged + 1 }, (_, i) =>
        events.slice(0, acknowledged + i),
      )
      if (await this.#find(id, prefixes)) this.met.unsent += events.length - this.known.get(id)!.events.length
      else expect(acknowledged).toBe(0)
    }
  }

  /** Looks for a session of which nobody knows how it is stored: as one of these, or not at all. */
  async #find(id: string, candidates: readonly (readonly SessionEvent[])[]): Promise<boolean> {
    this.calm()
    const rows = await surely(() => this.page.store.stored())
    const row = rows.find(({ header }) => header.id === id)
    if (row === undefined) {
      this.known.delete(id)
      return false
    }
    const events = candidates.find(({ length }) => length === row.length)
    expect(events, `${id} has ${row.length} events`).toBeDefined()
    const found = await this.page.store.inspect(id)
    expectSame(found.events, [...events!, ...interruptedTurnClosers(events!)])
    this.known.set(id, { events: events!, acknowledged: events!.length })
    return true
  }

  #keep(session: Session): void {
    const { events, durable } = session
    expect(durable).toBeGreaterThanOrEqual(this.known.get(session.id)?.acknowledged ?? 0)
    this.known.set(session.id, { events, acknowledged: durable })
  }

  #now(id: string): Known | undefined {
    const session = this.page.store.get(id)
    if (session !== undefined) this.#keep(session)
    return this.known.get(id)
  }

  #seed(turns: number | undefined): SessionEvent[] | undefined {
    if (turns === undefined) return undefined
    const drafts: SessionEvent[] = []
    for (let turn = 1; turn <= turns; turn++) {
      drafts.push({ type: 'turn/start', seq: drafts.length, time: turn, data: { turn } })
      drafts.push({ type: 'turn/end', seq: drafts.length, time: turn, data: { turn, reason: { kind: 'completed' } } })
    }
    return drafts
  }

  #any(n: number): string | undefined {
    const ids = [...this.known.keys()]
    return ids[n % Math.max(1, ids.length)]
  }

  async #onLive(n: number, task: (session: Session) => Promise<void>): Promise<void> {
    const live = this.page.store.list()
    const session = live[n % Math.max(1, live.length)]
    if (session !== undefined) await task(session)
  }

  async #onStored(n: number, task: (id: string) => Promise<void>): Promise<void> {
    const ids = [...this.known]
      .filter(([id, { events }]) => events.length > 0 && !this.page.store.get(id))
      .map(([id]) => id)
    const id = ids[n % Math.max(1, ids.length)]
    if (id !== undefined) await task(id)
  }
}

/** Calls that are under way when a worker dies, and those that come before that is noticed, are told of it. */
async function surely<T>(call: () => Promise<T>): Promise<T> {
  return call().catch(() => call().catch(call))
}
