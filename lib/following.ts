/** A session as another tab writes it: read when the writer's tab says that it has grown, and when this page is seen again. */
import { notFound } from './ids.js'
import type { SessionId } from './log/event.js'
import { GrowingLog } from './log/growing.js'
import type { SessionHeader } from './log/header.js'
import { readLog, type StoredLog } from './reading.js'
import type { Registry } from './registry.js'
import { SessionView, type SessionState, type ViewCore } from './session.js'
import { Subscribers } from './subscribers.js'
import { SessionStoreError } from './wire/errors.js'
import type { Writer } from './writers.js'

/** After a failure it is read again after this, doubled by each failure up to `RETRY_LIMIT`, ms; a hint waits for none. */
const RETRY_WAIT = 200
const RETRY_LIMIT = 5000

/** What a view begins with. Of a session that is only reserved, by this page, nothing is stored yet. */
export async function readToFollow(registry: Registry, id: SessionId): Promise<Followed> {
  const live = registry.get(id)
  if (live?.isReserved) return { header: live.header, log: live.stored, events: [] }
  const read = await readLog(registry.connection, id, registry.ownTypes)
  if (read.damage !== undefined) throw read.damage
  return read
}

type Followed = Pick<StoredLog, 'header' | 'log' | 'events'>

export class Following implements ViewCore {
  readonly view: SessionView
  readonly header: SessionHeader
  readonly log: GrowingLog
  #state: SessionState = 'following'
  readonly #stored: string
  readonly #subscribers = new Subscribers()
  readonly #stops: (() => void)[]
  #isStale = false
  #reading: Promise<void> | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  /** Takes back what the store's status says of what cannot be read. */
  #readable = (): void => {}

  constructor(
    private readonly registry: Registry,
    { header, log, events }: Followed,
    private readonly onEnd: (following: Following) => void,
  ) {
    this.header = header
    this.#stored = log
    this.log = new GrowingLog(events)
    this.view = new SessionView(this)
    this.#stops = [
      // A hint, whoever gives it: what is stored is the truth.
      registry.listeners.on('stored/changed', ({ id }) => void (id === header.id && this.read())),
      registry.onWriter(header.id, () => {
        this.#subscribers.changed()
        // A writer that has ended may not have come to say what it stored last.
        void this.read()
      }),
      registry.connection.onEnd(() => this.close()),
    ]
  }

  get state(): SessionState {
    return this.#state
  }

  get writer(): Writer {
    return this.registry.writerOf(this.header.id)
  }

  /** It has only what is stored. */
  get durable(): number {
    return this.log.length
  }

  subscribe(listener: () => void): () => void {
    return this.#subscribers.add(listener)
  }

  close(): void {
    this.#end('released')
  }

  #end(state: 'released' | 'deleted'): void {
    if (this.#state !== 'following') return
    this.#state = state
    for (const stop of this.#stops) stop()
    clearTimeout(this.#retry)
    this.#readable()
    this.#subscribers.changed()
    this.onEnd(this)
  }

  /** Reads what has come, one read at a time. Never rejects: what cannot be read now is read a while later. */
  read(): Promise<void> {
    this.#isStale = true
    return (this.#reading ??= this.#readAll().finally(() => (this.#reading = undefined)))
  }

  async #readAll(): Promise<void> {
    clearTimeout(this.#retry)
    try {
      while (this.#isStale && this.#state === 'following') {
        this.#isStale = false
        await this.#readOn()
      }
      this.#failures = 0
      this.#readable()
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    if (this.#state !== 'following') return
    if (!(error instanceof SessionStoreError)) {
      console.error(`idb-sessions: what follows in the session '${this.header.id}' cannot be read`, error)
      return
    }
    if (error.code === 'SESSION_NOT_FOUND') return this.#end('deleted')
    if (error.code === 'SESSION_CORRUPT' || error.code === 'FORMAT_UNSUPPORTED') {
      // Time alone will not mend it. What is told stays told while it is told anew.
      const before = this.#readable
      this.#readable = this.registry.connection.status.unreadable(error)
      return before()
    }
    // What is wrong with the storage the store's status says.
    const delay = Math.min(RETRY_WAIT * 2 ** this.#failures++, RETRY_LIMIT)
    this.#retry = setTimeout(() => void this.read(), delay)
  }

  async #readOn(): Promise<void> {
    const { id } = this.header
    const live = this.registry.get(id)
    // As in `readToFollow`.
    if (live?.isReserved && live.stored === this.#stored) return
    const read = await readLog(this.registry.connection, id, this.registry.ownTypes, { from: this.log.length })
    if (read.log !== this.#stored) throw notFound(id)
    if (this.#state !== 'following') return
    for (const event of read.events) this.log.push(event)
    if (read.events.length > 0) this.#subscribers.changed()
    if (read.damage !== undefined) throw read.damage
  }
}
