/* oxlint-disable vitest/no-standalone-expect -- the steps of a run compare as they go */
/** Two tabs of one database and a plain model of it, one operation after another, each compared. */
import { deleteDB } from 'idb'
import { expect } from 'vitest'
import { foldTranscript } from 'idb-sessions/log'
import { interruptedTurnClosers, type Session, type SessionEvent, type SessionId, type SessionView } from 'idb-sessions'
import { sessionLock } from '../../lib/wire/protocol.js'
import { newName, openPage, type Page } from '../support/page.js'
import { allRecords } from '../support/records.js'
import { expectSame } from '../support/same.js'
import { expectCode, outcome, ticks } from './compare.js'
import { endsOf, openTurn, titleOf } from './model.js'
import { SHAPES, type Act, type Op, type Pick } from './two-tabs-operations.js'

/** What one tab does the other hears of a moment later. */
const SOON = { interval: 2, timeout: 5000 }

interface Copy {
  events: readonly SessionEvent[]
  /** The tab that has it live. */
  owner: number | undefined
  title?: string
}

export interface Reached {
  overtaken: number
  robbed: number
  /** Robberies that left events behind. */
  unsent: number
  saved: number
  events: number
}

export async function run(operations: readonly Op[]): Promise<Reached> {
  const name = newName()
  const it = new TwoTabs([await openPage({ name }), await openPage({ name })])
  try {
    for (const operation of operations) await it.perform(operation)
    await it.check()
    await it.deleteAll()
  } finally {
    it.end()
    await deleteDB(name)
  }
  return it.reached
}

class TwoTabs {
  readonly reached: Reached = { overtaken: 0, robbed: 0, unsent: 0, saved: 0, events: 0 }
  readonly #sessions = new Map<SessionId, Copy>()
  /** What met a conflict, and was not saved yet. */
  #lost: { tab: number; session: Session }[] = []
  #views: { tab: number; view: SessionView }[] = []

  constructor(private readonly tabs: [Page, Page]) {}

  async perform({ op, tab, at, acts = [], size = 0, wait = 0 }: Op): Promise<void> {
    if (op === 'create') return this.#create(tab, acts, size)
    if (op === 'crash') return this.#crash(tab)
    if (op === 'save') return this.#save(at)
    if (op === 'check') return this.check()
    const id = this.#pick(at)
    if (id === undefined) return
    const copy = this.#sessions.get(id)!
    const { store } = this.tabs[tab]!
    if (op === 'append') return copy.owner === undefined ? undefined : this.#append(id, acts, size)
    if (op === 'flush') return this.#flush(id)
    if (op === 'release') return this.#release(id)
    if (op === 'take over') return this.#takeOver(tab, id)
    if (op === 'race') return this.#race(id, acts, size)
    if (op === 'rob') return this.#rob(id, acts, size, wait)
    if (op === 'fork') return this.#fork(tab, id, size)
    if (op === 'follow') return void this.#views.push({ tab, view: await store.follow(id) })
    if (op === 'title') {
      copy.title = `title ${size}`
      return store.setTitle(id, copy.title)
    }
    const isElsewhere = copy.owner !== undefined && copy.owner !== tab
    if (op === 'delete' && !isElsewhere) return this.#delete(tab, id)
    if (op === 'be refused' && isElsewhere) return this.#beRefused(tab, id, size)
  }

  /** Compares all that either tab can see, once all is stored. */
  async check(): Promise<void> {
    for (const id of this.#sessions.keys()) await this.#flush(id)
    for (const [tab, { store }] of this.tabs.entries()) {
      const own = [...this.#sessions].filter(([, { owner }]) => owner === tab).map(([id]) => id)
      expect(
        store
          .list()
          .map(({ id }) => id)
          .sort(),
      ).toEqual(own.sort())
      const rows = [...this.#sessions].map(([id, { events, owner, title }]) => {
        const writer = owner === undefined ? 'none' : owner === tab ? 'here' : 'elsewhere'
        return [id, events.length, writer, title ?? titleOf(events)].join(' ')
      })
      const stored = async (): Promise<string[]> =>
        (await store.stored())
          .map(({ header, length, writer, title }) => [header.id, length, writer, title].join(' '))
          .sort()
      await expect.poll(stored, SOON).toEqual(rows.sort())
      for (const [id, { events, owner }] of this.#sessions) {
        const closers = owner === undefined ? interruptedTurnClosers(events) : []
        expectSame((await store.inspect(id)).events, [...events, ...closers])
        this.reached.events = Math.max(this.reached.events, events.length)
      }
    }
    for (const { view } of this.#views) await this.#checkView(view)
  }

  /** Nothing may be left of sessions that are all deleted, and every tab gets hold of what it wants to delete. */
  async deleteAll(): Promise<void> {
    const [{ store, name }] = this.tabs
    for (const id of this.#sessions.keys()) await this.#takeOver(0, id)
    const ids = [...this.#sessions.keys()]
    expect(await store.delete(ids)).toEqual(ids.map((id) => ({ id, outcome: 'deleted' })))
    for (const { view } of this.#views) await expect.poll(() => view.state, SOON).toBe('deleted')
    expect(await allRecords(name)).toMatchObject({ sessions: [], lineages: [], segments: [], staging: [] })
  }

  end(): void {
    for (const { connection } of this.tabs) connection.end(new Error('the run is over'))
  }

  async #create(tab: number, acts: Act[], size: number): Promise<void> {
    const { id } = await this.tabs[tab]!.store.create(undefined, { seed: [] })
    this.#sessions.set(id, { events: [], owner: tab })
    this.#append(id, acts, size)
  }

  #append(id: SessionId, acts: Act[], size: number): void {
    const session = this.#session(id)!
    for (const act of acts) SHAPES[act]!(session, size)
    this.#sessions.get(id)!.events = session.events
  }

  async #flush(id: SessionId): Promise<void> {
    const { owner } = this.#sessions.get(id)!
    if (owner !== undefined) await this.tabs[owner]!.store.flush(this.#session(id)!)
  }

  async #release(id: SessionId): Promise<void> {
    const copy = this.#sessions.get(id)!
    if (copy.owner === undefined) return
    await this.tabs[copy.owner]!.store.release(this.#session(id)!)
    copy.owner = undefined
  }

  /** In order: whoever has it stores what it has. */
  async #takeOver(tab: number, id: SessionId): Promise<void> {
    const before = this.#session(id)
    const copy = this.#sessions.get(id)!
    const session = await this.tabs[tab]!.store.load(id, { takeOver: true })
    if (copy.owner === tab) return expect(session).toBe(before)
    if (before !== undefined) this.reached.overtaken++
    expect(before?.state ?? 'released').toBe('released')
    this.#entered(tab, session, [...copy.events, ...interruptedTurnClosers(copy.events)])
  }

  /** Both at once, while whoever has it has not stored all of it: one has it then, with all of it. */
  async #race(id: SessionId, acts: Act[], size: number): Promise<void> {
    const copy = this.#sessions.get(id)!
    if (copy.owner !== undefined) this.#append(id, acts, size)
    const { events, owner } = copy
    const calls = this.tabs.map(({ store }) => outcome(store.load(id, { takeOver: true })))
    for (const { error } of await Promise.all(calls)) {
      if (error !== undefined) expect(error).toMatchObject({ code: expect.stringMatching(/LOCKED|CONFLICT/) as string })
    }
    const having = (): number[] => this.tabs.flatMap(({ store }, tab) => (store.get(id) === undefined ? [] : [tab]))
    await expect.poll(() => having().length, SOON).toBe(1)
    const tab = having()[0]!
    const session = this.tabs[tab]!.store.get(id)!
    const isSame = tab === owner && session.seq === events.length
    this.#entered(tab, session, isSame ? events : [...events, ...interruptedTurnClosers(events)])
  }

  /** By force, from a tab that does not know it yet: what was durable stays, what was not is kept. */
  async #rob(id: SessionId, acts: Act[], size: number, wait: number): Promise<void> {
    const copy = this.#sessions.get(id)!
    if (copy.owner === undefined) return
    this.#append(id, acts, size)
    await ticks(wait ** 2)
    const from = copy.owner
    const session = this.#session(id)!
    const lock = sessionLock(this.tabs[0].name, id)
    await new Promise<void>((stolen) => {
      void navigator.locks.request(lock, { steal: true }, () => stolen())
    })
    await expect.poll(() => session.state, SOON).toBe('conflict')
    const taken = await this.tabs[1 - from]!.store.load(id, { takeOver: true })
    this.reached.robbed++
    this.reached.unsent += session.durable < session.seq ? 1 : 0
    const common = this.#commonOf(taken.events, session.events)
    expect(common).toBeGreaterThanOrEqual(session.durable)
    const kept = session.slice(0, common)
    this.#entered(1 - from, taken, [...kept, ...interruptedTurnClosers(kept)])
    this.#lost.push({ tab: from, session })
  }

  async #save(at: Pick): Promise<void> {
    const lost = this.#lost[at % Math.max(1, this.#lost.length)]
    if (lost === undefined) return
    const { tab, session } = lost
    const source = this.#sessions.get(session.id)
    if (source !== undefined) await this.#flush(session.id)
    const saved = await session.saveAsFork()
    const seedLength = source === undefined ? 0 : this.#commonOf(source.events, session.events)
    expect(saved.header).toMatchObject({ parentSession: session.id, seedLength })
    this.#sessions.set(saved.id, { events: session.events, owner: tab })
    this.#entered(tab, saved, session.events)
    this.#lost = this.#lost.filter((other) => other !== lost)
    this.reached.saved++
  }

  async #fork(tab: number, id: SessionId, end: number): Promise<void> {
    const { events } = this.#sessions.get(id)!
    await this.#flush(id)
    const ends = endsOf(events)
    const boundary = ends[end % Math.max(1, ends.length)]?.seq
    if (boundary === undefined) {
      // Nothing has ended: nothing but the empty prefix could be forked.
      if (openTurn(events)) await expectForkRefused(this.tabs[tab]!, id, events.length - 1)
      return
    }
    const child = await this.tabs[tab]!.store.fork(id, boundary)
    this.#sessions.set(child.id, { events: [], owner: tab })
    this.#entered(tab, child, events.slice(0, boundary + 1))
  }

  async #delete(tab: number, id: SessionId): Promise<void> {
    expect(await this.tabs[tab]!.store.delete(id)).toEqual([{ id, outcome: 'deleted' }])
    this.#sessions.delete(id)
  }

  /** Each waits for a moment before it gives up. */
  async #beRefused(tab: number, id: SessionId, how: number): Promise<void> {
    const { store } = this.tabs[tab]!
    const calls = [
      () => expectCode(store.load(id), 'SESSION_LOCKED'),
      () => expectCode(store.create(id), 'SESSION_ALREADY_EXISTS'),
      async () => expect(await store.delete(id)).toEqual([{ id, outcome: 'locked' }]),
    ]
    await calls[how % calls.length]!()
  }

  /** The tab dies. Another takes its place and loads what it had: what was durable is there. */
  async #crash(tab: number): Promise<void> {
    const page = this.tabs[tab]!
    const left = page.store.list().map((session) => ({ id: session.id, durable: session.durable }))
    for (const { tab: of, view } of this.#views) if (of === tab) view.close()
    page.crash()
    this.#lost = this.#lost.filter((lost) => lost.tab !== tab)
    this.#views = this.#views.filter((view) => view.tab !== tab)
    this.tabs[tab] = await openPage({ name: page.name })
    for (const { id, durable } of left) {
      const { events } = this.#sessions.get(id)!
      const taken = await this.tabs[tab].store.load(id)
      const common = this.#commonOf(taken.events, events)
      expect(common).toBeGreaterThanOrEqual(durable)
      const kept = events.slice(0, common)
      this.#entered(tab, taken, [...kept, ...interruptedTurnClosers(kept)])
    }
  }

  async #checkView(view: SessionView): Promise<void> {
    const copy = this.#sessions.get(view.id)
    if (copy === undefined) {
      await expect.poll(() => view.state, SOON).toBe('deleted')
      return
    }
    await expect.poll(() => view.seq, SOON).toBe(copy.events.length)
    expectSame(view.events, copy.events)
    expect(view.transcript).toEqual(foldTranscript(copy.events))
  }

  #entered(tab: number, session: Session, events: readonly SessionEvent[]): void {
    expectSame(session.events, events)
    expect(session.state).toBe('live')
    Object.assign(this.#sessions.get(session.id)!, { events: session.events, owner: tab })
  }

  #commonOf(a: readonly SessionEvent[], b: readonly SessionEvent[]): number {
    const parting = a.findIndex((event, i) => JSON.stringify(event) !== JSON.stringify(b[i]))
    return parting < 0 ? a.length : parting
  }

  #session(id: SessionId): Session | undefined {
    const { owner } = this.#sessions.get(id)!
    return owner === undefined ? undefined : this.tabs[owner]!.store.get(id)
  }

  #pick(at: Pick): SessionId | undefined {
    return [...this.#sessions.keys()][at % Math.max(1, this.#sessions.size)]
  }
}

async function expectForkRefused({ store }: Page, id: SessionId, boundary: number): Promise<void> {
  const { error } = await outcome(store.fork(id, boundary))
  expect(error).toMatchObject({ code: 'OPEN_TURN' })
}
