/** `ctx.sessions`: the sessions that are live here, and those that are stored. */
import { Arrivals, newHeader, type CreateOptions } from './arrivals.js'
import type { Connection } from './connection.js'
import type { SessionCore } from './core.js'
import { importFile, type ImportSource } from './importing.js'
import { interruptedTurnClosers } from './log/closers.js'
import type { SessionEvent, SessionId } from './log/event.js'
import type { SessionHeader } from './log/header.js'
import { freezeJson } from './log/json.js'
import { forkPointsOf, type ForkPoint, type Rules } from './log/turns.js'
import { watchPage } from './page.js'
import { logFile, readForkPoints, readLog, streamFile } from './reading.js'
import { Presence } from './presence.js'
import { Registry } from './registry.js'
import { SessionView, type Session } from './session.js'
import { byActivity, STORE_EVENTS, toStoredSession } from './stored.js'
import type { ImportReport, SessionStoreEvents, StoredSession } from './stored.js'
import { SessionStoreError } from './wire/errors.js'

export interface DeleteOutcome {
  id: SessionId
  /** 'locked': live in another tab. */
  outcome: 'deleted' | 'missing' | 'locked'
}

/** Whoever opened the store. */
export interface StoreHost {
  /** The store is closing; it is closed when the promise resolves, and open as before when it rejects. */
  closing(closed: Promise<void>): void
}

/**
 * `ctx.sessions` of a page. After `close` every call rejects with `CLOSED`. What is called *storage errors* below is what
 * the worker and the browser may meet at any call: `WORKER_FAILED`, `STORAGE_UNAVAILABLE`, `STORAGE_FULL`, `BLOCKED` and
 * `CONNECTION_LOST`. Source: `spec` 3.
 */
export class SessionStore {
  readonly #connection: Connection
  readonly #registry: Registry
  readonly #arrivals: Arrivals
  readonly #unwatch: () => void
  readonly #host: StoreHost
  #closing: Promise<void> | undefined
  #isClosed = false

  /** Made by `openSessions`. */
  constructor(connection: Connection, rules: Rules, ownTypes: ReadonlySet<string>, host: StoreHost) {
    this.#connection = connection
    this.#host = host
    this.#registry = new Registry(connection, ownTypes, new Presence(connection.databaseName))
    this.#arrivals = new Arrivals(this.#registry, rules)
    this.#unwatch = watchPage(() => {
      for (const core of this.#registry.all()) core.outbox.send()
    })
  }

  /**
   * A new live session, stored when the promise resolves. Its id is reserved at once; one without a seed that never
   * gets an event is not listed and goes with the page.
   *
   * Rejects with `SESSION_ALREADY_EXISTS`, `INVALID_HEADER` (id or meta), `INVALID_EVENT` (`index` in the seed),
   * with what a listener of `session/created` throws, and with storage errors; then nothing is left of it.
   * @param id default: `session-<uuid>`
   * Source: `spec` 3.1, 2.2.
   */
  async create(id?: SessionId, options: CreateOptions = {}): Promise<Session> {
    this.#requireOpen()
    return this.#arrivals.create(id, options)
  }

  /**
   * A new live session that begins with the source's events up to `boundary`, shares them with it, and goes its own
   * way from there. Costs one small record, whatever the length. The source is not changed.
   *
   * Rejects with `SessionForkError`; the first of these checks that fails wins: `SESSION_ALREADY_EXISTS` (child id live or
   * stored), `SESSION_NOT_FOUND`, `SESSION_NOT_LIVE` (an object that is not the one live here), `INVALID_BOUNDARY` (no safe
   * integer ≥ 0, no such event), `OPEN_TURN` (the prefix ends inside an open turn), `INVALID_BOUNDARY` (`rules: 'rfc'`: not
   * a `turn/end`). Also with what a listener of `session/created` throws, and with storage errors. Then nothing is made.
   * @param source a live session, or the id of a session that is live here or stored; it need not be loaded
   * @param boundary inclusive seq; default: the last event at the moment of the call, labels at the very end aside
   * @param childSessionId default: `session-<uuid>`
   * Source: `rfc`, `spec` 3.4.
   */
  async fork(source: Session | SessionId, boundary?: number, childSessionId?: SessionId): Promise<Session> {
    this.#requireOpen()
    return this.#arrivals.fork(source, boundary, childSessionId)
  }

  /**
   * Makes a stored session live here. A turn that a crash left open is closed as interrupted, in the log too. One that
   * is live here already is given as it is.
   *
   * Rejects with `SESSION_NOT_FOUND`, `SESSION_CORRUPT` (`readable`), `FORMAT_UNSUPPORTED` (an event that this page does not
   * know and may not ignore), `SESSION_CONFLICT` (others keep changing it),
   * with what a listener of `session/created` throws, and with storage errors.
   * Source: `spec` 5, 6.3.
   */
  async load(id: SessionId): Promise<Session> {
    this.#requireOpen()
    requireId(id)
    return this.#arrivals.load(id)
  }

  /** A session that is live here. */
  get(id: SessionId): Session | undefined {
    return this.#registry.get(id)?.session
  }

  /** The sessions that are live here, in the order in which they came: a new array. */
  list(): Session[] {
    return this.#registry.all().map(({ session }) => session)
  }

  /** Adds a listener; returns what removes it. */
  on<E extends keyof SessionStoreEvents>(event: E, listener: SessionStoreEvents[E]): () => void {
    if (!STORE_EVENTS.includes(event)) throw new TypeError(`there is no event '${event}' to listen to`)
    if (typeof listener !== 'function') throw new TypeError(`a listener of '${event}' is a function`)
    return this.#registry.listeners.on(event, listener)
  }

  /**
   * Resolves to true when all that was appended before the call is stored and safe against a power cut, and every
   * listener of `session/flush` is done. Rejects with `SESSION_NOT_LIVE`, `SESSION_CONFLICT`, with storage errors (the events
   * are kept, and sent again by the next append or flush), else with the first failure of a listener.
   */
  async flush(session: Session): Promise<boolean> {
    await this.#registry.flush(session)
    return true
  }

  /** What is stored, newest activity first. Sessions that were created and never used are not listed. */
  async stored(): Promise<StoredSession[]> {
    this.#requireOpen()
    const rows = await this.#connection.call('list')
    return rows.map((row) => toStoredSession(row, this.#registry.get(row.header.id) !== undefined)).sort(byActivity)
  }

  /**
   * A session's header and events, without making it live and without writing. When it is not live here, with the
   * events that would close its open turn. Rejects with `SESSION_NOT_FOUND`, `SESSION_CORRUPT`, `FORMAT_UNSUPPORTED` (an
   * event that this page does not know and may not ignore) and storage errors.
   */
  async inspect(id: SessionId): Promise<{ header: SessionHeader; events: readonly SessionEvent[] }> {
    this.#requireOpen()
    requireId(id)
    const live = this.#registry.get(id)
    if (live !== undefined) return { header: live.header, events: live.log.events }
    const { header, events, damage } = await readLog(this.#connection, id, this.#registry.ownTypes)
    if (damage !== undefined) throw damage
    return { header, events: Object.freeze([...events, ...freezeJson(interruptedTurnClosers(events))]) }
  }

  /** Every `turn/end` of a session. Rejects with `SESSION_NOT_FOUND`, `SESSION_CORRUPT` and storage errors. */
  async forkPoints(id: SessionId): Promise<readonly ForkPoint[]> {
    this.#requireOpen()
    requireId(id)
    const live = this.#registry.get(id)
    return live !== undefined ? forkPointsOf(live.log.current) : readForkPoints(this.#connection, id)
  }

  /**
   * A last flush, then the session is let go: 'session/disposed'. When it cannot be stored, or a listener of
   * `session/flush` fails, it rejects with that error and the session stays live. One that is still being appended to is
   * released when it pauses. Released already: does nothing. Rejects with `SESSION_NOT_LIVE` for another store's session.
   */
  async release(session: Session): Promise<void> {
    return this.#registry.release(session)
  }

  /**
   * Deletes sessions, all that can go in one transaction, and frees what no other session shares; forks stay whole.
   * One that is live here is disposed first, and what it has not stored is dropped. Rejects with storage errors; what was
   * live is released then, and what was stored of it is still there. Rejects with `SESSION_NOT_FOUND` for what is no id.
   */
  async delete(ids: SessionId | readonly SessionId[]): Promise<readonly DeleteOutcome[]> {
    this.#requireOpen()
    if (typeof ids !== 'string' && !Array.isArray(ids)) throw notAnId(ids)
    const wanted = typeof ids === 'string' ? [ids] : [...ids]
    wanted.forEach(requireId)
    const unique = [...new Set(wanted)]
    return this.#registry.exclusive(unique, async () => {
      const live = unique.map((id) => this.#registry.get(id)).filter((core) => core !== undefined)
      for (const core of live) {
        this.#registry.leave(core, 'deleted')
        await this.#registry.takeBack(core)
      }
      const stored = await this.#deleteStored(unique).catch((error: unknown) => {
        for (const core of live) core.leave('released')
        throw error
      })
      const gone = new Set([...stored, ...live.map(({ header }) => header.id)])
      // What was only reserved was never told of.
      const listed = new Set([...stored, ...live.filter((core) => !core.isReserved).map(({ header }) => header.id)])
      for (const id of listed) this.#registry.changed({ id, kind: 'deleted', length: 0 })
      return wanted.map((id) => ({ id, outcome: gone.has(id) ? 'deleted' : 'missing' }))
    })
  }

  /**
   * A session as a DSH `session.jsonl`, streamed. Of one that is live here, with the events that are not stored yet; of a
   * damaged one, the readable part. Rejects with `SESSION_NOT_FOUND` and storage errors.
   * Source: `spec` 7.2.
   */
  async exportLog(id: SessionId): Promise<ReadableStream<Uint8Array>> {
    this.#requireOpen()
    requireId(id)
    const core = this.#registry.get(id)
    core?.outbox.send()
    const live = core && { header: core.header, log: core.log, epoch: core.outbox.epoch }
    return streamFile(logFile(this.#connection, id, live))
  }

  /**
   * Stores a DSH `session.jsonl`, checked line by line, without making it live. A torn tail is left out and reported.
   *
   * Rejects with `INVALID_LOG` (`line`), `FORMAT_UNSUPPORTED` (a newer version, zstd, an unknown event type), `INVALID_HEADER`
   * (`options.id`), `SESSION_ALREADY_EXISTS`, storage errors, and with the error of a stream that fails. Then nothing is kept.
   * @param options.id the session's id here; default: the one in the file
   * Source: `spec` 7.4.
   */
  async importLog(source: ImportSource, options: { id?: SessionId } = {}): Promise<ImportReport> {
    this.#requireOpen()
    const { id } = options
    if (id !== undefined) newHeader(id, {})
    const { row, dropped } = await importFile(this.#connection, this.#registry, source, id)
    this.#registry.changed({ id: row.header.id, kind: 'created', length: row.length })
    return { session: toStoredSession(row, false), ...(dropped !== undefined && { dropped }) }
  }

  /**
   * Releases every session and ends the worker. When one cannot be stored it rejects with that error, and the store
   * stays open. Closed already: does nothing.
   */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      this.#closing = this.#close().finally(() => (this.#closing = undefined))
      this.#host.closing(this.#closing)
    }
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#registry.isClosing = true
    try {
      while (!this.#isClosed) {
        await this.#registry.idle()
        const live = this.#registry.all()
        await Promise.all(live.map((core) => this.#releaseOrLose(core)))
        this.#isClosed = live.length === 0
      }
    } finally {
      this.#registry.isClosing = false
    }
    this.#unwatch()
    this.#registry.presence.end()
    this.#connection.end(closedError())
  }

  /** One that another tab has deleted holds nothing that could be stored. */
  async #releaseOrLose({ session }: SessionCore): Promise<void> {
    await this.release(session).catch((error: unknown) => {
      if (session.state !== 'deleted') throw error
    })
  }

  /** Those that are gone by now. One that was asked for twice, since the answer was lost, is. */
  async #deleteStored(ids: readonly SessionId[]): Promise<SessionId[]> {
    let isResent = false
    const outcomes = await this.#connection.call('delete', ids).catch((error: unknown) => {
      if ((error as SessionStoreError).code !== 'WORKER_FAILED') throw error
      isResent = true
      return this.#connection.call('delete', ids)
    })
    return ids.filter((_, i) => isResent || outcomes[i] === 'deleted')
  }

  #requireOpen(): void {
    if (this.#isClosed) throw closedError()
  }
}

function closedError(): SessionStoreError {
  return new SessionStoreError('CLOSED', 'the store was closed; open it again with openSessions')
}

function requireId(id: unknown): void {
  if (typeof id !== 'string') throw notAnId(id)
}

function notAnId(id: unknown): SessionStoreError {
  const what = id instanceof SessionView ? 'a Session; pass its id' : `a value of type ${typeof id}`
  return new SessionStoreError('SESSION_NOT_FOUND', `a session id is a string, not ${what}`)
}
