/** What the store knows of a live session; `Session` is its public face. */
import type { Connection } from './connection.js'
import { oncePerFrame } from './frame.js'
import { admitAppend, type Appended } from './log/admit.js'
import type { SessionEvent } from './log/event.js'
import type { GrowingLog } from './log/growing.js'
import type { SessionHeader } from './log/header.js'
import { Outbox } from './outbox.js'
import { Session, type SessionState } from './session.js'
import { SessionStoreError } from './wire/errors.js'

/** What a session needs of its store. */
export interface SessionHost {
  readonly connection: Connection
  readonly ownTypes: ReadonlySet<string>
  /** Tells the listeners of `session/event`; never throws. */
  published(session: Session, event: SessionEvent): void
  /** The stored length has grown. */
  grown(core: SessionCore): void
  /** Another writer took the session over, or it was deleted elsewhere. */
  lost(core: SessionCore, state: 'conflict' | 'deleted'): void
  release(session: Session): Promise<void>
}

export class SessionCore {
  readonly session: Session
  readonly outbox: Outbox
  /** An unseeded session without an event: its id is taken, but it is not listed. */
  isReserved = false
  readonly #subscribers = new Set<{ listener: () => void }>()
  #state: SessionState = 'live'
  #publishing = false

  /** @param epoch the token that the worker knows this writer by */
  constructor(
    private readonly host: SessionHost,
    readonly header: SessionHeader,
    readonly log: GrowingLog,
    readonly firstLiveSeq: number,
    epoch: string,
  ) {
    this.outbox = new Outbox(log, host.connection, header.id, epoch, {
      stored: () => {
        this.#changed()
        this.host.grown(this)
      },
      lost: ({ code }) => this.host.lost(this, code === 'SESSION_CONFLICT' ? 'conflict' : 'deleted'),
    })
    this.session = new Session(this)
  }

  get state(): SessionState {
    return this.#state
  }

  get durable(): number {
    return this.outbox.durable
  }

  append(appended: Appended): SessionEvent {
    this.requireLive()
    if (this.#publishing) throw this.#invalid('a session takes no event while it publishes one; append afterwards')
    const admitted = admitAppend(appended, this.log.length, Date.now(), this.host.ownTypes)
    if ('reason' in admitted) throw this.#invalid(admitted.reason)
    const { event } = admitted
    const problem = this.log.problem(event)
    if (problem !== undefined) throw this.#invalid(problem)
    this.log.push(event)
    this.outbox.appended(event)
    this.#changed()
    this.#publishing = true
    try {
      this.host.published(this.session, event)
    } finally {
      this.#publishing = false
    }
    return event
  }

  /** Throws unless this session can be written here and now. */
  requireLive(): void {
    if (this.#state === 'live') return
    throw this.notLive()
  }

  notLive(): SessionStoreError {
    const sessionId = this.header.id
    if (this.#state === 'conflict') {
      const message = `another writer has taken the session '${sessionId}' over; its events are still readable here`
      return new SessionStoreError('SESSION_CONFLICT', message, { sessionId })
    }
    const message = `the session '${sessionId}' is ${this.#state} and takes nothing any more; load it again`
    return new SessionStoreError('SESSION_NOT_LIVE', message, { sessionId })
  }

  /** Ends the life of the session here. */
  leave(state: Exclude<SessionState, 'live' | 'following'>): void {
    this.#state = state
    this.outbox.stop(this.notLive())
    this.#changed()
  }

  subscribe(listener: () => void): () => void {
    const entry = { listener }
    this.#subscribers.add(entry)
    return () => void this.#subscribers.delete(entry)
  }

  close(): void {
    this.host.release(this.session).catch((error: unknown) => {
      console.error(`idb-sessions: the session '${this.header.id}' could not be released`, error)
    })
  }

  readonly #notify = oncePerFrame(() => {
    for (const { listener } of this.#subscribers) {
      try {
        listener()
      } catch (error) {
        console.error('idb-sessions: a subscriber failed', error)
      }
    }
  })

  #changed(): void {
    if (this.#subscribers.size > 0) this.#notify()
  }

  #invalid(reason: string): SessionStoreError {
    return new SessionStoreError('INVALID_EVENT', reason, { sessionId: this.header.id })
  }
}
