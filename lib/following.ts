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

  constructor(
    private readonly registry: Registry,
    { header, log, events }: StoredLog,
    private readonly onEnd: (following: Following) => void,
  ) {
    this.header = header
    this.#stored = log
    this.log = new GrowingLog(events)
    this.view = new SessionView(this)
    const { listeners, tabs } = registry
    const changed = (id: SessionId): void => {
      if (id !== header.id) return
      this.#subscribers.changed()
      // Who has ended may not have come to say what it stored last.
      void this.read()
    }
    this.#stops = [
      // A hint, whoever gives it: what is stored is the truth.
      listeners.on('stored/changed', ({ id }) => void (id === header.id && this.read())),
      // A writer that died may not have said what it stored last.
      tabs.writers.on((id) => {
        changed(id)
        if (id === header.id) void this.read()
      }),
      listeners.on('session/created', ({ id }) => changed(id)),
      listeners.on('session/disposed', ({ id }) => changed(id)),
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
    this.end('released')
  }

  end(state: 'released' | 'deleted'): void {
    if (this.#state !== 'following') return
    this.#state = state
    for (const stop of this.#stops) stop()
    this.#subscribers.changed()
    this.onEnd(this)
  }

  /** Reads what has come, one read at a time. Never rejects: what cannot be read now is read at the next hint. */
  read(): Promise<void> {
    this.#isStale = true
    return (this.#reading ??= this.#readAll().finally(() => (this.#reading = undefined)))
  }

  async #readAll(): Promise<void> {
    try {
      while (this.#isStale && this.#state === 'following') {
        this.#isStale = false
        await this.#readOn()
      }
    } catch (error) {
      if (error instanceof SessionStoreError && error.code === 'SESSION_NOT_FOUND') return this.end('deleted')
      console.error(`idb-sessions: what follows in the session '${this.header.id}' cannot be read`, error)
    }
  }

  async #readOn(): Promise<void> {
    const { id } = this.header
    const read = await readLog(this.registry.connection, id, this.registry.ownTypes, { from: this.log.length })
    if (read.log !== this.#stored) throw notFound(id)
    if (this.#state !== 'following') return
    for (const event of read.events) this.log.push(event)
    if (read.events.length > 0) this.#subscribers.changed()
    if (read.damage !== undefined) throw read.damage
  }
}
