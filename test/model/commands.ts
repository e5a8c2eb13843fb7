/* oxlint-disable vitest/no-standalone-expect -- the steps of a run compare as they go */
/** What each operation does to store and model, and that both then say the same. */
import { expect } from 'vitest'
import { SessionForkError, type Session, type SessionEvent, type SessionId } from 'idb-sessions'
import type { SessionRow } from '../../worker/records.js'
import { allRecords } from '../support/records.js'
import { faultAt, type Armed } from '../support/faults.js'
import { countRecords, drop, inBrowser, newName, openPage, type Page } from '../support/page.js'
import { expectSame } from '../support/same.js'
import type { LogWriter } from '../support/shapes.js'
import { expectCode, expectedRow, expectFile, keptLength, markTime, outcome, ticks } from './compare.js'
import {
  clone,
  endsOf,
  isReserved,
  messagesOf,
  Model,
  nodesOf,
  openTurn,
  sharedBy,
  type Copy,
  type Source,
} from './model.js'
import { largeLog, OWN_TYPES, SHAPES, type Boundary, type Busy, type Op, type Pick } from './operations.js'

/** Runs a sequence on a new database and on the model, and compares. */
export async function run(rules: 'rfc' | 'harness', operations: readonly Op[]): Promise<Run> {
  const name = newName()
  const run = new Run(rules, await openPage({ name, rules, eventTypes: OWN_TYPES }))
  try {
    await run.perform({ op: 'create' })
    for (const operation of operations) await run.perform(operation)
    await run.check()
    await run.deleteAll()
  } finally {
    run.page.connection.end(new Error('the run is over'))
    await drop(name)
  }
  return run
}

export class Run {
  readonly model: Model
  /** Objects that are no longer live. */
  readonly stale: Session[] = []
  /** How far the run got; `cut`: sessions that a crash cost events; `faults`: that happened, and that nobody may have noticed. */
  readonly reached = { sessions: 0, events: 0, generations: 0, segments: 0, cut: 0, faults: 0 }
  #armed: Armed | undefined

  constructor(
    readonly rules: 'rfc' | 'harness',
    public page: Page,
  ) {
    this.model = new Model(rules, OWN_TYPES)
  }

  async perform(operation: Op): Promise<void> {
    switch (operation.op) {
      case 'create':
        return this.#create(operation)
      case 'append':
        return this.#onLive(operation.at, (id) => {
          for (const shape of operation.shapes) this.#append(id, shape, operation.size)
        })
      case 'refused append':
        return this.#onLive(operation.at, (id) => this.#refusedAppend(id, operation.how))
      case 'fork':
        return this.#fork(operation)
      case 'burst':
        return this.#onLive(operation.of, (id) => this.#burst(id, operation))
      case 'chain':
        return this.#chain(operation)
      case 'long':
        return this.#onLive(operation.at, async (id) => {
          for (let i = 0; i < operation.turns; i++) {
            this.#append(id, i % 7 === 0 ? 'packedChunks' : 'blocked', i % 5)
            await this.page.store.flush(this.#live(id))
          }
        })
      case 'flush':
        return this.#onLive(operation.at, (id) => this.#flush(id))
      case 'release':
        return this.#onLive(operation.at, (id) => this.#release(id))
      case 'load':
        return this.#onAny(operation.at, (id) => this.#load(id))
      case 'title':
        return this.#onAny(operation.at, (id) => this.#title(id, operation.title))
      case 'merge':
        return this.#onAny(operation.at, async (id) => void (await this.page.connection.call('merge', id)))
      case 'delete':
        return this.#delete(operation)
      case 'import':
        return this.#import(operation)
      case 'reload':
        return this.#reload()
      case 'crash':
        return this.#crash(operation.busy)
      case 'restart':
        return this.#restart(operation.busy)
      case 'check':
        return this.check()
      case 'fault':
        // What the last one met is run once more, and must not meet the next.
        if (this.#armed?.happened) await Promise.all(this.page.store.list().map(({ id }) => this.#flush(id)))
        this.#calm()
        this.#armed = faultAt(operation.at, operation.fault)
    }
  }

  /** What has not gone wrong by now does not: from here on the run looks for itself. */
  #calm(): void {
    if (this.#armed?.happened) this.reached.faults++
    this.#armed?.end()
    this.#armed = undefined
  }

  /** Compares all that can be seen, and all that is stored after a flush. */
  async check(): Promise<void> {
    const { model, page } = this
    for (const id of model.live) {
      this.#checkLive(id)
      await this.#flush(id)
      this.#checkLive(id)
    }
    this.#calm()
    expect(page.store.list().map((session) => session.id)).toEqual(model.live)
    const stored = await page.store.stored()
    const listed = [...model.sessions].filter(([, copy]) => !isReserved(copy))
    expect(stored.map(({ header }) => header.id).sort()).toEqual(listed.map(([id]) => id).sort())
    for (const [i, row] of stored.entries()) {
      expect(row).toEqual(expectedRow(model.get(row.header.id)))
      if (i > 0) expect(row.lastTime).toBeLessThanOrEqual(stored[i - 1]!.lastTime)
    }
    for (const [id, copy] of listed) {
      const { header, events } = await page.store.inspect(id)
      expect(header).toEqual(copy.header)
      expectSame(events, model.inspect(id))
      expect(await page.store.forkPoints(id)).toEqual(endsOf(copy.events))
      if (!copy.live) expect(page.store.get(id)).toBeUndefined()
      this.reached.events = Math.max(this.reached.events, events.length)
    }
    for (const id of [listed[0]?.[0], listed.at(-1)?.[0]]) if (id !== undefined) await this.#checkBranches(id, listed)
    this.reached.sessions = Math.max(this.reached.sessions, listed.length)
    if (!inBrowser)
      this.reached.segments = Math.max(this.reached.segments, (await countRecords(page.name))['segments']!)
  }

  /** Every relative hangs on one that it shares as much with as with any that is listed before it. */
  async #checkBranches(id: SessionId, listed: readonly [SessionId, Copy][]): Promise<void> {
    const branches = await this.page.store.branches(id)
    const asked = this.model.get(id)
    expect(branches.map((branch) => branch.id).sort()).toEqual(relativesOf(id, asked, listed).sort())
    const before = [id]
    for (const branch of branches) {
      const copy = this.model.get(branch.id)
      const shared = before.map((other) => sharedBy(this.model.get(other), copy))
      expect(branch).toMatchObject({ shared: Math.max(...shared), own: copy.events.length - branch.shared })
      expect(shared[before.indexOf(branch.sharedWith)]).toBe(branch.shared)
      before.push(branch.id)
    }
    const last = branches.at(-1)?.id ?? id
    const compared = await this.page.store.compare(id, last)
    const [a, b] = [asked.events, this.model.get(last).events]
    expect(compared.shared).toBeGreaterThanOrEqual(sharedBy(asked, this.model.get(last)))
    expectSame(compared.a, a.slice(compared.shared))
    expectSame(compared.b, b.slice(compared.shared))
  }

  /** Nothing may be left of sessions that are all deleted. */
  async deleteAll(): Promise<void> {
    const ids = [...this.model.sessions.keys()]
    const outcomes = await this.page.store.delete(ids)
    expect(outcomes).toEqual(ids.map((id) => ({ id, outcome: 'deleted' })))
    expect(await this.page.store.stored()).toEqual([])
    this.#calm()
    const { sessions, ...rest } = await allRecords(this.page.name)
    // Reservations of pages that died are freed by the next open, where there are Web Locks.
    expect((sessions as SessionRow[]).filter((row) => row.reserved === undefined)).toEqual([])
    expect(rest).toMatchObject({ lineages: [], segments: [], staging: [] })
  }

  async #create({ id, cwd, seed }: Extract<Op, { op: 'create' }>): Promise<void> {
    const { model, page } = this
    let events: SessionEvent[] | undefined
    if (seed === 'empty') events = []
    else if (seed === 'large') events = largeLog()
    else if (seed !== undefined) {
      const from = this.#any(seed.of)
      // Any valid log may be a seed: cut inside a turn, and with times that go back.
      events = clone(from === undefined ? [] : model.get(from).events.slice(0, seed.length))
      events = events.map((event, i) => (i % 3 < seed.back ? { ...event, time: event.time - 1000 } : event))
    }
    const options = {
      ...(events !== undefined && { seed: events }),
      meta: { ...(cwd !== undefined && { cwd, agentPreset: 'test' }) },
    }
    const creating = page.store.create(id, options)
    if (id !== undefined && model.has(id)) return expectCode(creating, 'SESSION_ALREADY_EXISTS')
    const session = await creating
    const { createdAt } = session.header
    const header = { version: 0, id: session.id, createdAt, ...options.meta }
    model.create(header, events, markTime(session))
    this.#entered(session, events?.length ?? 0)
  }

  #append(id: SessionId, shape: string, size: number): void {
    SHAPES[shape]!(this.#writer(id), size)
  }

  #refusedAppend(id: SessionId, how: number): void {
    const session = this.#live(id)
    const writer = session as unknown as { append(type: unknown, data: unknown, intent?: unknown): unknown }
    const message = { id: 'm', role: 'user', content: [], source: { kind: 'user' } }
    const bad: [unknown, unknown, unknown?][] = [
      ['unknown/type', {}],
      ['turn/start', { turn: undefined }],
      ['turn/start', { turn: -0 }],
      ['turn/start', { turn: 1 }, { surfaceOp: 'append' }],
      ['user/message', message],
      ['user/message', { ...message, role: 'assistant' }, { surfaceOp: 'append' }],
      ['user/message', message, { surfaceOp: { op: 'replace', start: session.seq, end: session.seq } }],
      ['user/message', message, { surfaceOp: 'append', sourceEventSeqs: [session.seq] }],
    ]
    const call = bad[how % bad.length]!
    expect(() => writer.append(...call)).toThrow(expect.objectContaining({ code: 'INVALID_EVENT' }))
    expect(session.seq).toBe(this.model.get(id).events.length)
  }

  async #fork({ of, by, boundary, id: childId, meanwhile }: Extract<Op, { op: 'fork' }>): Promise<void> {
    const { model, page } = this
    const named = this.#any(of) ?? 'missing'
    const live = this.#session(named)
    let source: Source = { id: named }
    let given: Session | SessionId = named
    if (by === 'object' && live !== undefined) given = live
    const stale = this.stale[of % Math.max(1, this.stale.length)]
    if (by === 'stale' && stale !== undefined) {
      given = stale
      source = { id: stale.id, stale: true }
    }
    const { events } = model.sessions.get(source.id) ?? { events: [] as SessionEvent[] }
    const seq = boundaryOf(boundary, events)
    const isBefore = typeof boundary === 'object' && 'before' in boundary
    const plan = model.planFork(source, seq, childId, isBefore)
    const forking = isBefore
      ? page.store.branchBefore(given, seq as number, childId)
      : page.store.fork(given, seq as number | undefined, childId)
    if (typeof plan !== 'number') {
      const { error } = await outcome(forking)
      expect(error).toBeInstanceOf(SessionForkError)
      const { code, before, after } = error as SessionForkError
      expect({ code, before, after }).toEqual({ before: undefined, after: undefined, ...plan })
      return
    }
    // What comes after the call is none of the child's.
    if (meanwhile && live !== undefined) this.#append(source.id, 'chat', 1)
    const child = await forking
    model.fork(source.id, plan, child.id, child.header.createdAt, markTime(child))
    this.#entered(child, plan)
    expect(page.store.get(child.id)).toBe(child)
  }

  /** Forks in one breath, with appends between them: each has what was there when it was called for. */
  async #burst(id: SessionId, { forks, deleted }: Extract<Op, { op: 'burst' }>): Promise<void> {
    const { model, page } = this
    const source = this.#live(id)
    const calls: { length: number; forking: Promise<Session> }[] = []
    for (let i = 0; i < forks; i++) {
      this.#append(id, i % 2 === 0 ? 'blocked' : 'packedChunks', i)
      calls.push({ length: source.seq, forking: page.store.fork(i % 3 === 0 ? id : source) })
    }
    const parent = model.snapshot(id)
    const gone = deleted ? this.#deleteIds([id]) : undefined
    const outcomes = await Promise.all(calls.map(({ forking }) => outcome(forking)))
    await gone
    const children = outcomes.map(({ value }) => value).filter((child) => child !== undefined)
    // Which of them came first is theirs to decide.
    const order = page.store.list()
    for (const child of children.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))) {
      const { length } = calls[outcomes.findIndex(({ value }) => value === child)]!
      model.forkOf(parent, length, child.id, child.header.createdAt, markTime(child))
      this.#entered(child, length)
    }
    for (const { error } of outcomes.filter(({ value }) => value === undefined)) {
      // Only the source's end can come between.
      expect(deleted).toBe(true)
      expect(error).toMatchObject({ code: expect.stringMatching(/^SESSION_NOT_(FOUND|LIVE)$/) as string })
    }
  }

  /** Forks of forks, each with a turn of its own; without `keep`, each parent goes when its child is there. */
  async #chain({ of, generations, keep }: Extract<Op, { op: 'chain' }>): Promise<void> {
    const first = this.#any(of)
    if (first === undefined || openTurn(this.model.get(first).events)) return
    let last: SessionId | undefined
    for (let g = 1; g <= generations; g++) {
      const { events } = this.model.get(last ?? first)
      // Models copy.
      if (events.length > 400 || JSON.stringify(events).length > 300_000) return
      const seq = endsOf(events).at(-1)?.seq
      const source = g % 3 === 0 ? (last ?? first) : (this.#session(last ?? first) ?? first)
      const plan = this.model.planFork({ id: last ?? first }, seq, undefined)
      if (typeof plan !== 'number') return
      const child = await this.page.store.fork(source, seq)
      this.model.fork(last ?? first, plan, child.id, child.header.createdAt, markTime(child))
      this.#entered(child, plan)
      this.#append(child.id, 'blocked', 0)
      await this.#flush(child.id)
      if (last !== undefined && !keep) await this.#deleteIds([last])
      last = child.id
      this.reached.generations = Math.max(this.reached.generations, g)
    }
  }

  async #title(id: SessionId, title: string): Promise<void> {
    const copy = this.model.get(id)
    const setting = this.page.store.setTitle(id, title)
    if (!this.model.has(id)) return expectCode(setting, 'SESSION_NOT_FOUND')
    await setting
    if (title === '') delete copy.title
    else copy.title = title
  }

  async #flush(id: SessionId): Promise<void> {
    const session = this.#live(id)
    const { seq } = session
    expect(await this.page.store.flush(session)).toBe(true)
    expect(session.durable).toBeGreaterThanOrEqual(seq)
  }

  async #release(id: SessionId): Promise<void> {
    const session = this.#live(id)
    await this.page.store.release(session)
    this.model.release(id)
    this.#left(session, 'released')
  }

  async #load(id: SessionId): Promise<Session | undefined> {
    const { model, page } = this
    const before = page.store.get(id)
    const loading = page.store.load(id)
    if (!model.has(id)) {
      await expectCode(loading, 'SESSION_NOT_FOUND')
      return undefined
    }
    const session = await loading
    if (model.get(id).live) {
      expect(session).toBe(before)
      return session
    }
    const firstLiveSeq = model.load(id, markTime(session))
    this.#entered(session, firstLiveSeq)
    return session
  }

  async #delete({ at, missing }: Extract<Op, { op: 'delete' }>): Promise<void> {
    const ids = at.map((n) => this.#any(n)).filter((id) => id !== undefined)
    return this.#deleteIds(missing ? [...ids, 'never there'] : ids)
  }

  async #deleteIds(ids: readonly SessionId[]): Promise<void> {
    const unique = [...new Set(ids)]
    const sessions = unique.map((id) => this.#session(id)).filter((session) => session !== undefined)
    const expected = unique.map((id) => ({ id, outcome: this.model.delete(id) }))
    const outcomes = await this.page.store.delete(unique)
    // Of a deletion that was run once more, nobody knows what was there before.
    if (this.#armed?.happened) expect(outcomes.map(({ id }) => id)).toEqual(unique)
    else expect(outcomes).toEqual(expected)
    for (const session of sessions) this.#left(session, 'deleted')
  }

  async #import({ of, id: asked, as, instead }: Extract<Op, { op: 'import' }>): Promise<void> {
    const { model, page } = this
    const from = this.#any(of)
    if (from === undefined) return
    const copy = model.get(from)
    if (!model.has(from)) return
    const text = await new Response(await page.store.exportLog(from)).text()
    const file = { header: copy.header, events: clone(copy.events) }
    expectFile(text, file)
    if (instead) await this.#deleteIds([from])
    const id = asked ?? from
    const source = as === 'string' ? text : as === 'blob' ? new Blob([text]) : new Blob([text]).stream()
    const importing = page.store.importLog(source, asked === undefined ? {} : { id: asked })
    if (model.has(id)) return expectCode(importing, 'SESSION_ALREADY_EXISTS')
    const report = await importing
    model.import(id, file)
    expect(report).toEqual({ session: expectedRow(model.get(id)) })
  }

  async #reload(): Promise<void> {
    const { page, rules, model } = this
    const sessions = page.store.list()
    await page.store.close()
    this.#calm()
    for (const session of sessions) {
      model.release(session.id)
      this.#left(session, 'released')
    }
    this.stale.length = 0
    this.page = await openPage({ name: page.name, rules, eventTypes: OWN_TYPES })
  }

  /** The page dies without a word. What was durable is there, and nothing but a prefix of what was appended. */
  async #crash(busy: Busy): Promise<void> {
    const { page, rules, model } = this
    await this.#write(busy)
    const left = page.store.list().map((session) => ({ id: session.id, durable: session.durable }))
    this.#calm()
    page.crash()
    this.stale.length = 0
    this.page = await openPage({ name: page.name, rules, eventTypes: OWN_TYPES })
    for (const { id, durable } of left) {
      const { seeded, events } = model.get(id)
      const { length } = events
      // Loading it makes sure that nothing of the dead page's still arrives.
      const { value: session, error } = await outcome(this.page.store.load(id))
      if (session === undefined) {
        expect(error).toMatchObject({ code: 'SESSION_NOT_FOUND' })
        // An unseeded session is there as soon as it has an event.
        expect(durable).toBe(0)
        expect(seeded).toBe(false)
        model.release(id)
        model.sessions.delete(id)
        await this.page.store.delete(id)
        continue
      }
      const kept = keptLength(model, id, session, durable)
      expect(kept, `stored events of '${id}' after a crash`).toBeDefined()
      if (kept! < length) this.reached.cut++
      model.crash(id, kept!)
      if (!model.sessions.has(id)) throw new Error(`'${id}' is only a reservation, but it was loaded`)
      const firstLiveSeq = model.load(id, markTime(session))
      this.#entered(session, firstLiveSeq)
    }
  }

  /** Appends that nobody waits for, with pauses too short for all of them to be stored. */
  async #write(busy: Busy): Promise<void> {
    for (const { at, shape, size, after } of busy) {
      await this.#onLive(at, (id) => this.#append(id, shape, size))
      await ticks(after ** 2)
    }
  }

  /** The worker dies, the page lives on: it starts another, and sends what was not stored. */
  async #restart(busy: Busy): Promise<void> {
    // Nobody tells a browser's page of a terminated worker; it finds out after seconds, in a test of its own.
    if (inBrowser) return
    await this.#write(busy)
    this.page.killWorker()
    // Calls that are under way, and the first after the death, may be told of it.
    await Promise.all(this.page.store.list().map((session) => outcome(this.page.store.flush(session))))
    await outcome(this.page.store.stored())
  }

  #entered(session: Session, firstLiveSeq: number): void {
    expect(session.firstLiveSeq).toBe(firstLiveSeq)
    this.#checkLive(session.id)
  }

  #left(session: Session, state: Session['state']): void {
    expect(session.state).toBe(state)
    const append = (): unknown => session.append('turn/start', { turn: 1 })
    expect(append).toThrow(expect.objectContaining({ code: 'SESSION_NOT_LIVE' }))
    this.stale.push(session)
  }

  #checkLive(id: SessionId): void {
    const session = this.#live(id)
    const { header, events } = this.model.get(id)
    expect(session.state).toBe('live')
    expect(session.header).toEqual(header)
    expectSame(session.events, events)
    expectSame(session.deriveMessages(), messagesOf(events))
    expect(session.surface.nodes).toEqual(nodesOf(events))
    expect(session.turn.open !== undefined).toBe(openTurn(events))
    expect(session.durable).toBeLessThanOrEqual(session.seq)
  }

  /** Appends to the session and to the model, and compares the two events. */
  #writer(id: SessionId): LogWriter {
    const session = this.#live(id)
    const append: Session['append'] = (type, data, ...intent) => {
      const event = session.append(type, data, ...intent)
      const expected = this.model.append(id, type, data, intent[0], event.time)
      expectSame([event], [expected])
      return event
    }
    return {
      append,
      get seq() {
        return session.seq
      },
      get turn() {
        return session.turn
      },
      get surface() {
        return session.surface
      },
    }
  }

  #session(id: SessionId): Session | undefined {
    return this.page.store.get(id)
  }

  #live(id: SessionId): Session {
    return this.#session(id)!
  }

  #any(n: Pick): SessionId | undefined {
    const ids = [...this.model.sessions.keys()]
    return ids[n % ids.length]
  }

  async #onAny(n: Pick, task: (id: SessionId) => unknown): Promise<void> {
    const id = this.#any(n)
    if (id !== undefined) await task(id)
  }

  async #onLive(n: Pick, task: (id: SessionId) => unknown): Promise<void> {
    const { live } = this.model
    const id = live[n % live.length]
    if (id !== undefined) await task(id)
  }
}

function boundaryOf(boundary: Boundary, events: readonly SessionEvent[]): unknown {
  if (boundary === 'default') return undefined
  if ('bad' in boundary) return boundary.bad
  if ('seq' in boundary || 'before' in boundary) {
    const seq = 'seq' in boundary ? boundary.seq : boundary.before
    return events.length === 0 ? seq : seq % (events.length + 1)
  }
  if ('chunk' in boundary) {
    // Often in the middle of a row of them, which has to be cut.
    const chunks = events.filter(({ type }) => type === 'assistant/chunk')
    return chunks.length === 0 ? undefined : chunks[boundary.chunk % chunks.length]!.seq
  }
  const ends = endsOf(events)
  return ends.length === 0 ? undefined : ends[boundary.end % ends.length]!.seq
}

/** Whoever shares an event, came out of the same session without one, or beside one that did; and their relatives. */
function relativesOf(id: SessionId, asked: Copy, listed: readonly [SessionId, Copy][]): SessionId[] {
  const isEmpty = ({ header }: Copy): boolean => header.seedLength === 0
  const isParent = (parent: Copy, child: Copy): boolean =>
    child.header.parentSession === parent.header.id && parent.header.createdAt <= child.header.createdAt
  const isOrphan = (child: Copy): boolean => !listed.some(([, copy]) => isParent(copy, child))
  const isBeside = ({ header: a }: Copy, { header: b }: Copy): boolean =>
    a.parentSession !== undefined && a.parentSession === b.parentSession
  const isKin = (a: Copy, b: Copy): boolean =>
    sharedBy(a, b) > 0 ||
    (isEmpty(a) && isParent(b, a)) ||
    (isEmpty(b) && isParent(a, b)) ||
    ((isEmpty(a) || isEmpty(b)) && isBeside(a, b) && isOrphan(a) && isOrphan(b))
  const found = [asked]
  for (const one of found) {
    for (const [, copy] of listed) if (!found.includes(copy) && isKin(one, copy)) found.push(copy)
  }
  return found.map(({ header }) => header.id).filter((other) => other !== id)
}
