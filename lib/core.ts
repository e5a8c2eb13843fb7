/** What the store knows of a live session; `Session` is its public face. */
import type { Connection } from './connection.js'
import { admitAppend, type Appended } from './log/admit.js'
import type { SessionEvent, SessionId } from './log/event.js'
import type { GrowingLog } from './log/growing.js'
import type { SessionHeader } from './log/header.js'
import { Outbox } from './outbox.js'
import type { Right } from './locks.js'
import { Session, type SessionState, type ViewCore } from './session.js'
import type { Writer } from './writers.js'
import { Subscribers } from './subscribers.js'
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
  writerOf(id: SessionId): Writer
  /** Calls `listener` when another than before writes the session. Returns what ends it. */
  onWriter(id: SessionId, listener: () => void): () => void
  /** `Session.saveAsFork` says more. */
  saveAsFork: (core: SessionCore, id: SessionId | undefined) => Promise<Session>
}

export class SessionCore implements ViewCore {
  readonly session: Session
  readonly outbox: Outbox
  /** An unseeded session without an event: its id is taken, but it is not listed. */
  isReserved = false
  /** The right to write, while this page has it. */
  right: Right | undefined
  /** The page is back: resolves when it is known whether it has the right again. */
  regaining: Promise<void> | undefined
  readonly #subscribers = new Subscribers()
  #state: SessionState = 'live'
  #appending = false

  /**
   * @param epoch the token that the worker knows this writer by
   * @param stored the name of the stored log, which tells it from a later one of the same id
   */
  constructor(
    private readonly host: SessionHost,
    readonly header: SessionHeader,
    readonly log: GrowingLog,
    readonly firstLiveSeq: number,
    epoch: string,
    readonly stored: string,
  ) {
    this.outbox = new Outbox(log, host.connection, header.id, epoch, {
      stored: () => {
        this.#subscribers.changed()
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

  get writer(): Writer {
    return this.host.writerOf(this.header.id)
  }

  append(appended: Appended): SessionEvent {
    this.requireLive()
    // From the first look at the data, whose getters are the caller's code, to the last listener.
    if (this.#appending) throw this.#invalid('a session takes no event while it takes another; append afterwards')
    this.#appending = true
    try {
      const admitted = admitAppend(appended, this.log.length, Date.now(), this.host.ownTypes)
      if ('reason' in admitted) throw this.#invalid(admitted.reason)
      const { event } = admitted
      const problem = this.log.problem(event)
      if (problem !== undefined) throw this.#invalid(problem)
      // A getter may have released the session.
      this.requireLive()
      this.log.push(event)
      this.outbox.appended(event)
      this.#subscribers.changed()
      this.host.published(this.session, event)
      return event
    } finally {
      this.#appending = false
    }
  }

  /** Throws unless this session can be written here and now. */
  requireLive(): void {
    if (this.#state !== 'live') throw notLive(this.header.id, this.#state)
  }

  /** Ends the life of the session here. */
  leave(state: Exclude<SessionState, 'live' | 'following'>): void {
    this.#state = state
    this.outbox.stop(notLive(this.header.id, state))
    this.#subscribers.changed()
  }

  subscribe(listener: () => void): () => void {
    const unsubscribe = this.#subscribers.add(listener)
    // Who writes it changes also when it is not this page any more.
    const stop = this.host.onWriter(this.header.id, () => this.#subscribers.changed())
    return () => {
      stop()
      unsubscribe()
    }
  }

  saveAsFork(id: SessionId | undefined): Promise<Session> {
    return this.host.saveAsFork(this, id)
  }

  close(): void {
    this.host.release(this.session).catch((error: unknown) => {
      console.error(`idb-sessions: the session '${this.header.id}' could not be released`, error)
    })
  }

  #invalid(reason: string): SessionStoreError {
    return new SessionStoreError('INVALID_EVENT', reason, { sessionId: this.header.id })
  }
}

/** Why a session cannot be written. */
export function notLive(sessionId: SessionId, state: SessionState): SessionStoreError {
  if (state === 'conflict') {
    const message = `another tab has taken the session '${sessionId}' over; what it did not store can be kept: saveAsFork()`
    return new SessionStoreError('SESSION_CONFLICT', message, { sessionId })
  }
  const cure =
    state === 'deleted' ? 'was deleted' : 'is not live here any more; load it again, or follow it if another tab has it'
  return new SessionStoreError('SESSION_NOT_LIVE', `the session '${sessionId}' ${cure}`, { sessionId })
}
