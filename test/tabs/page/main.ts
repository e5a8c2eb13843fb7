/** One of several tabs: the library as an application uses it, and what a test takes hold of it by. */
import { openSessions, type Session, type SessionEvent, type SessionStore, type SessionView } from 'idb-sessions'
import { planned, type Plan, type Planned } from '../../faults/plan.js'
import { pause, settled } from '../../faults/page/waiting.js'
import { randomFrom } from '../../faults/random.js'
import { Connection } from '../../../lib/connection.js'
import { SessionStore as Store } from '../../../lib/store.js'
import { SlowWorker } from './slow-worker.js'

const DATABASE = location.search.slice(1)

declare global {
  interface Window {
    tab: Tab
  }
}

/** What a tab has appended to a session while it had it, and what became of that. */
export interface Term {
  id: string
  /** Every event that an append gave back: seq and JSON text. */
  accepted: [seq: number, text: string][]
  state: Session['state']
  /** Where the whole of it was kept, after a conflict. */
  savedAs?: string
}

/** A view, as it is compared with others. */
export interface Seen {
  events: string
  transcript: string
  state: string
  seq: number
}

export class Tab {
  store!: SessionStore
  /** Everything that was ever live here; the last of an id is what `session` gives. */
  readonly #terms: { session: Session; term: Term }[] = []
  /** What is appended next, as long as a session is this page's. */
  readonly #plans = new WeakMap<Session, Iterator<Planned, never>>()
  readonly #views = new Map<string, SessionView>()
  /** How often the browser has frozen the page. */
  freezes = 0
  /** Of every `pageshow`, whether it came from the back/forward cache. */
  readonly shown: boolean[] = []
  /** The codes that a take-over was refused with, before it was granted. */
  readonly refusals: string[] = []
  /** How often a session was taken from under `write`. */
  overtaken = 0
  #worker: SlowWorker | undefined
  #isStopped = false

  async open(): Promise<string> {
    const worker = (): Worker => {
      this.#worker = new SlowWorker(newWorker(), this.#worker)
      return this.#worker.worker
    }
    this.store = await openSessions({ name: DATABASE, worker })
    this.store.on('session/created', (session) => {
      const term: Term = { id: session.id, accepted: [], state: 'live' }
      this.#terms.push({ session, term })
    })
    return this.store.status
  }

  /** The worker's death. */
  terminate(): void {
    this.#worker?.worker.terminate()
  }

  /** What is appended from now on does not reach the worker before `letThrough`. */
  holdBack(): void {
    this.#worker!.holdBack()
  }

  letThrough(): void {
    this.#worker!.letThrough()
  }

  /** The last that was live here under this id, whatever it is now. */
  session(id: string): Session {
    return this.#termOf(id).session
  }

  view(id: string): SessionView {
    return this.#views.get(id)!
  }

  async follow(...ids: string[]): Promise<void> {
    for (const id of ids) this.#views.set(id, await this.store.follow(id))
  }

  /** The code of what a call rejects with. */
  code(call: Promise<unknown>): Promise<string | undefined> {
    return call.then(
      () => undefined,
      (error: Error & { code?: string }) => error.code ?? error.message,
    )
  }

  /** Takes a session over, as often as it is refused. */
  async take(id: string): Promise<Session> {
    for (;;) {
      const code = await this.code(this.store.load(id, { takeOver: true }))
      const session = this.store.get(id)
      if (session !== undefined) return session
      this.refusals.push(code ?? 'taken at once')
      // Nobody who is asked by a person asks again at once.
      await pause(50)
    }
  }

  /** Appends the next turns of a plan in one breath. */
  append(id: string, plan: Omit<Plan, 'turn'>, turns: number): void {
    const { session } = this.#termOf(id)
    for (let left = turns; left > 0;) {
      const event = this.#next(session, plan)
      this.#append(id, event)
      if (event.type === 'turn/end') left--
    }
  }

  /** Appends chunks to an open step, or to a new one of a new turn; by themselves they would wait for more. */
  appendChunks(id: string, text: string, count: number): void {
    const { session } = this.#termOf(id)
    if (session.turn.open === undefined) {
      this.#append(id, { type: 'turn/start', data: { turn: session.turn.next }, isMessage: false })
      this.#append(id, { type: 'step/start', data: { turn: session.turn.open, step: 1 }, isMessage: false })
    }
    const { open: turn, step } = session.turn
    for (let i = 0; i < count; i++) {
      const chunk = { type: 'text-delta', index: 0, text: `${text} ${i}` }
      this.#append(id, { type: 'assistant/chunk', data: { turn, step, chunk }, isMessage: false })
    }
  }

  /** Streams into a session that is live here, at the pace of a fast model, until it is not or `stop` is called. */
  async stream(id: string, plan: Omit<Plan, 'turn'>): Promise<void> {
    const { session } = this.#termOf(id)
    const random = randomFrom(plan.seed)
    while (!this.#isStopped && session.state === 'live') {
      this.#append(id, this.#next(session, plan))
      if (random() < 0.5) await pause(random() * 10)
    }
  }

  /** Appends `count` events to any of these sessions, each of which it takes over when it has it not; others do the same. */
  async write(ids: readonly string[], plan: Omit<Plan, 'turn'>, count: number): Promise<void> {
    const random = randomFrom(plan.seed)
    for (let made = 0, burst = 0; made < count; burst++) {
      const id = ids[Math.floor(random() * ids.length)]!
      const session = this.store.get(id) ?? (await this.take(id))
      const planOfBurst = { ...plan, seed: plan.seed * 1000 + burst }
      for (let left = Math.min(count - made, 5 + random() * 120); left > 0 && session.state === 'live'; left--) {
        this.#append(id, this.#next(session, planOfBurst))
        made++
        if (random() < 0.1) await pause(random() * 4)
      }
      // It may stay live, with its turn open: whoever wants it next has to take it.
      if (session.state !== 'live') this.overtaken++
      else if (random() < 0.3) await this.store.release(session)
    }
  }

  stop(): void {
    this.#isStopped = true
  }

  /** All that was appended here, once nothing of it is under way; what met a conflict is kept as a fork. */
  async terms(): Promise<Term[]> {
    for (const { session, term } of this.#terms) {
      if (session.state === 'live') await this.code(this.store.flush(session))
      term.state = session.state
      if (term.state === 'conflict') term.savedAs ??= (await session.saveAsFork()).id
    }
    return this.#terms.map(({ term }) => term)
  }

  see(id: string): Seen {
    return seen(this.#views.get(id) ?? this.session(id))
  }

  readonly pause = pause

  /** Keeps the page from doing anything, for so long, ms. */
  hog(time: number): void {
    for (const end = performance.now() + time; performance.now() < end;);
  }

  /** The same, before this address answers. */
  waitBusily(url: string): void {
    const request = new XMLHttpRequest()
    request.open('GET', url, false)
    request.send()
  }

  /** A log as it is stored: read by a store of its own, which knows nothing of what is live in this page. */
  async stored(id: string): Promise<readonly SessionEvent[]> {
    const connection = new Connection(DATABASE, newWorker)
    const store = new Store(connection, 'rfc', new Set(), { closing: () => {} })
    try {
      return (await store.inspect(id)).events
    } finally {
      connection.end(new Error('it was read'))
    }
  }

  /** How many records of each kind there are. */
  async records(): Promise<Record<string, number>> {
    const db = await settled(indexedDB.open(DATABASE))
    const counts: Record<string, number> = {}
    for (const name of ['sessions', 'lineages', 'segments', 'staging']) {
      counts[name] = await settled(db.transaction(name).objectStore(name).count())
    }
    db.close()
    return counts
  }

  #termOf(id: string): { session: Session; term: Term } {
    return this.#terms.findLast(({ term }) => term.id === id)!
  }

  /** What comes next in a session, by the plan that began with it. */
  #next(session: Session, plan: Omit<Plan, 'turn'>): Planned {
    const events = this.#plans.get(session) ?? planned({ ...plan, turn: session.turn.next })
    this.#plans.set(session, events)
    return events.next().value
  }

  #append(id: string, { type, data, isMessage }: { type: string; data: unknown; isMessage: boolean }): void {
    const { session, term } = this.#termOf(id)
    const intent = isMessage ? [{ surfaceOp: 'append' as const }] : []
    const event = session.append(type as 'user/message', data as never, ...(intent as [never]))
    term.accepted.push([event.seq, JSON.stringify(event)])
  }
}

function newWorker(): Worker {
  return new Worker(new URL('../../../worker/index.ts', import.meta.url), { type: 'module' })
}

export function seen({ events, transcript, state, seq }: SessionView): Seen {
  return { events: JSON.stringify(events), transcript: JSON.stringify(transcript), state, seq }
}

window.tab = new Tab()
document.addEventListener('freeze', () => window.tab.freezes++)
addEventListener('pageshow', ({ persisted }) => window.tab.shown.push(persisted))
