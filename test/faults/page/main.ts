/** The page that faults happen to: the library as an application uses it, and what a test takes hold of it by. */
import { openSessions, type Session, type SessionStore, type StoreStatus } from 'idb-sessions'
// oxlint-disable-next-line import/default -- the bundler adds it
import workerUrl from '../../../worker/index.ts?worker&url'
import { planned, type Plan, type Planned } from '../plan.js'
import { randomFrom } from '../random.js'
import { ask } from './asking.js'
import { pause, settled } from './waiting.js'

/** What the page knows, told as soon as it knows it. */
export type News =
  /** Live: `length` events of `from`, and from there on what is planned. */
  | { kind: 'live'; id: string; from?: string; length: number; plan: Plan }
  | { kind: 'durable' | 'flushed'; id: string; length: number }
  | { kind: 'merged' }

declare global {
  interface Window {
    faults: Faults
    /** There when the test listens. */
    tell?: (news: News) => Promise<void>
  }
}

export class Faults {
  store!: SessionStore
  /** Every change of the status, with the code of its cause. */
  readonly statuses: [StoreStatus, string | undefined][] = []
  /** How often the browser has frozen the page. */
  freezes = 0
  #worker: Worker | undefined
  #isStopped = false

  /** The state that the store says it is in, or the code it is refused with. */
  async open({ fallback, isData = false }: { fallback?: 'memory'; isData?: boolean } = {}): Promise<string> {
    const worker = (): Worker => (this.#worker = isData ? newDataWorker() : newWorker())
    try {
      this.store = await openSessions({ name: 'faults', worker, ...(fallback && { fallback }) })
    } catch (error) {
      return (error as { code: string }).code
    }
    this.store.on('status', (status, cause) => void this.statuses.push([status, cause?.code]))
    return this.store.status
  }

  /** The worker's death. */
  terminate(): void {
    this.#worker?.terminate()
  }

  session(id: string): Session {
    return this.store.get(id)!
  }

  /** A live session with whole turns in it, and where each ends. */
  async create(id: string, turns: number): Promise<number[]> {
    const session = await this.store.create(id)
    return this.append(id, { seed: 1, turn: session.turn.next, least: 100, most: 1000 }, turns)
  }

  /** Appends whole turns in one breath. */
  append(id: string, plan: Plan, turns = 1): number[] {
    const ends: number[] = []
    for (const event of planned(plan)) {
      const { seq } = append(this.session(id), event)
      if (event.type === 'turn/end') ends.push(seq)
      if (ends.length === turns) break
    }
    return ends
  }

  /** The code of what a call rejects with. */
  code(call: Promise<unknown>): Promise<string | undefined> {
    return call.then(
      () => undefined,
      (error: Error & { code?: string }) => error.code ?? error.message,
    )
  }

  async exported(id: string): Promise<string> {
    return new Response(await this.store.exportLog(id)).text()
  }

  /** Appends what is planned at the pace of a model, until `stop`. */
  async stream(id: string, plan: Plan, also = async (_session: Session, _event: Planned): Promise<void> => {}) {
    const session = this.session(id)
    const random = randomFrom(plan.seed)
    let told = -1
    for (const event of planned(plan)) {
      if (this.#isStopped) return
      append(session, event)
      await also(session, event)
      // No application goes on for ever without waiting; no model is that much faster than a disk.
      do if (random() < 0.3) await pause(random() * 6)
      while (session.seq - session.durable > 300 && !this.#isStopped)
      if (session.durable !== told) void window.tell?.({ kind: 'durable', id, length: (told = session.durable) })
    }
  }

  readonly pause = pause

  stop(): void {
    this.#isStopped = true
  }

  /** Streams into several sessions at once: each turn may be flushed, and be the place of a fork that goes on as well. */
  async bustle(id: string, plan: Plan): Promise<void> {
    const random = randomFrom(plan.seed + 1)
    await this.stream(id, plan, async (session, { type }) => {
      if (type !== 'turn/end') return
      if (random() < 0.3) {
        const { seq: length } = session
        const flushed = this.store.flush(session).then(() => window.tell?.({ kind: 'flushed', id, length }))
        if (random() < 0.5) await flushed
      }
      if (random() < 0.2 && this.store.list().length < 4) {
        const child = await this.store.fork(session)
        const planOfChild = { ...plan, seed: (plan.seed * 31 + child.seq) | 0, turn: child.turn.next }
        void window.tell?.({ kind: 'live', id: child.id, from: id, length: child.seq, plan: planOfChild })
        void this.bustle(child.id, planOfChild)
      }
    })
  }

  /** Looks at the records of all logs again and again, and tells when some are gone: where none is deleted, by a merge. */
  async watchMerges(): Promise<void> {
    const db = await settled(indexedDB.open('faults'))
    let before: string[] = []
    while (!this.#isStopped) {
      const keys = await settled(db.transaction('segments').objectStore('segments').getAllKeys())
      const now = new Set(keys.map(String))
      if (before.some((key) => !now.has(key))) void window.tell?.({ kind: 'merged' })
      before = [...now]
      await pause(50)
    }
    db.close()
  }

  /** The session's record as it is stored. */
  async row(id: string): Promise<string | undefined> {
    const db = await settled(indexedDB.open('faults'))
    const row: unknown = await settled(db.transaction('sessions').objectStore('sessions').get(id))
    db.close()
    return row === undefined ? undefined : JSON.stringify(row)
  }
}

function append(session: Session, { type, data, isMessage }: Planned) {
  const intent = isMessage ? [{ surfaceOp: 'append' as const }] : []
  return session.append(type as 'user/message', data as never, ...(intent as [never]))
}

function newWorker(): Worker {
  return new Worker(new URL('../../../worker/index.ts', import.meta.url), { type: 'module' })
}

/** Where a page may not start a worker from its server, it may start one that loads it. */
function newDataWorker(): Worker {
  const source = `import '${new URL(workerUrl, import.meta.url).href}'`
  return new Worker(`data:text/javascript,${encodeURIComponent(source)}`, { type: 'module' })
}

window.faults = new Faults()
document.addEventListener('freeze', () => window.faults.freezes++)

const asked = new URLSearchParams(location.search).get('ask')
if (asked !== null) void ask(asked)
