/** `ctx.sessions`: the sessions that are live here, and those that are stored. */
import { Arrivals, newHeader, type CreateOptions } from './arrivals.js'
import { releaseAll } from './closing.js'
import { compareLogs, type Comparison } from './comparing.js'
import type { Connection } from './connection.js'
import { deleteSessions, type DeleteOutcome } from './deleting.js'
import { Following, readToFollow } from './following.js'
import { Handover } from './handover.js'
import { requireId } from './ids.js'
import { importFile, type ImportSource } from './importing.js'
import { Listing, type SessionIndex } from './listing.js'
import { interruptedTurnClosers } from './log/closers.js'
import type { SessionEvent, SessionId } from './log/event.js'
import type { SessionHeader } from './log/header.js'
import { freezeJson } from './log/json.js'
import { forkPointsOf, type ForkPoint, type Rules } from './log/turns.js'
import { watchPage } from './page.js'
import { logFile, pauser, readForkPoints, readLog, streamFile } from './reading.js'
import { Presence } from './presence.js'
import { Registry } from './registry.js'
import type { Session, SessionView } from './session.js'
import { byActivity, STORE_EVENTS, toStoredSession } from './stored.js'
import type { ImportReport, SessionStoreEvents, StoredSession } from './stored.js'
import type { StoreStatus } from './status.js'
import { askToPersist, storageFigures, type StorageFigures } from './storage.js'
import { setTitle } from './titles.js'
import { SessionStoreError } from './wire/errors.js'
import type { Branch } from './wire/protocol.js'

/** Whoever opened the store. */
export interface StoreHost {
  /** The store is closing; it is closed when the promise resolves, and open as before when it rejects. */
  closing(closed: Promise<void>): void
}

/**
 * `ctx.sessions` of a page. After `close` every call rejects with `CLOSED`. What is called *storage errors* below is what
 * the worker and the browser may meet at any call: `WORKER_FAILED`, `STORAGE_FULL`, `BLOCKED`,
 * `CONNECTION_LOST` and `STORAGE_GONE`. Source: `spec` 3.
 */
export class SessionStore {
  /**
   * The list of `stored()`, live: empty until it was read for the first time, which begins when it is first used, and
   * told of like every change. What cannot be read is read with the next change; after `close` it stays as it is.
   */
  readonly index: SessionIndex
  readonly #connection: Connection
  readonly #registry: Registry
  readonly #arrivals: Arrivals
  readonly #unwatch: () => void
  readonly #host: StoreHost
  readonly #followed = new Set<Following>()
  #closing: Promise<void> | undefined
  #isClosed = false

  /** Made by `openSessions`. */
  constructor(connection: Connection, rules: Rules, ownTypes: ReadonlySet<string>, host: StoreHost) {
    this.#connection = connection
    this.#host = host
    this.#registry = new Registry(connection, ownTypes, new Presence(connection.databaseName))
    this.#arrivals = new Arrivals(this.#registry, rules)
    const listing = new Listing(this.#registry)
    this.index = listing
    const handover = new Handover(this.#registry)
    this.#unwatch = watchPage({
      hidden: () => {
        for (const core of this.#registry.all()) core.outbox.send()
        this.#registry.tabs.writers.pause()
      },
      frozen: (isFrozen) => (this.#registry.tabs.isFrozen = isFrozen),
      gone: () => handover.suspend(),
      back: () => {
        handover.resume()
        listing.readAgain()
        this.#lookAgain()
      },
      seen: () => this.#lookAgain(),
    })
    connection.onLeaving = () => this.#registry.drain()
    connection.status.onChange = (status, cause) => this.#registry.listeners.emit('status', status, cause)
  }

  /**
   * A new live session, stored when the promise resolves. Its id is reserved at once; one without a seed that never
   * gets an event is not listed and goes with the page.
   *
   * Rejects with `SESSION_ALREADY_EXISTS`, `INVALID_HEADER` (id or meta), `INVALID_EVENT` (`index` in the seed),
   * with what a listener of `session/created` throws, and with storage errors; then nothing is left of it. With
   * `SESSION_CONFLICT` when another tab takes it by force before it is stored.
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
    return this.#arrivals.fork(source, { at: boundary }, childSessionId)
  }

  /**
   * A fork that ends before the turn that holds `seq`, at the last `turn/end` there: to ask again, or to edit a prompt.
   * Before the first turn that is an empty prefix, `seedLength: 0`. The turn may still be open.
   *
   * Rejects as `fork` does; `INVALID_BOUNDARY`: `seq` is no event of the source.
   * @param seq of any event of the turn; one between two turns stands for what follows the first of them
   * @param childSessionId default: `session-<uuid>`
   */
  async branchBefore(source: Session | SessionId, seq: number, childSessionId?: SessionId): Promise<Session> {
    this.#requireOpen()
    return this.#arrivals.fork(source, { before: seq }, childSessionId)
  }

  /**
   * Makes a stored session live here. A turn that a crash left open is closed as interrupted, in the log too. One that
   * is live here already is given as it is.
   *
   * Rejects with `SESSION_NOT_FOUND`, `SESSION_LOCKED` (another tab has it live; taken over: and cannot store what it has, the
   * cause says why), `SESSION_CORRUPT` (`readable`), `FORMAT_UNSUPPORTED` (an event that this page does not know and may not
   * ignore), `SESSION_CONFLICT` (others keep changing it), with what a listener of `session/created` throws, and with storage
   * errors.
   * @param options.takeOver the other tab has to let go: it stores what it has and releases the session; one that is
   * silent, since it is frozen, is robbed of it and meets a conflict. Not asked for what cannot be read here
   * Source: `spec` 5, 6.3.
   */
  async load(id: SessionId, options: { takeOver?: boolean } = {}): Promise<Session> {
    this.#requireOpen()
    requireId(id)
    return this.#arrivals.load(id, options.takeOver === true)
  }

  /**
   * A session to be read, which grows as its writer writes, in whatever tab that is: what is stored of it, a moment after it
   * is. `close` of the view ends it; a session that is deleted ends it as 'deleted'. What comes to be stored and cannot be read
   * here, since it is damaged or of a newer page, makes the store's status 'failed', with `SESSION_CORRUPT` or
   * `FORMAT_UNSUPPORTED` and the session's id as the cause, until it can be read or the view is closed.
   *
   * Rejects with `SESSION_NOT_FOUND`, `SESSION_CORRUPT`, `FORMAT_UNSUPPORTED` and storage errors.
   */
  async follow(id: SessionId): Promise<SessionView> {
    this.#requireOpen()
    requireId(id)
    const read = await readToFollow(this.#registry, id)
    await this.#registry.tabs.writers.lookAt(id)
    this.#requireOpen()
    const following = new Following(this.#registry, read, (ended) => this.#followed.delete(ended))
    this.#followed.add(following)
    // It may have grown while it was read.
    await following.read()
    await following.log.fold(pauser())
    return following.view
  }

  /** `load`, as long as no other tab has the session live; else `follow`. Rejects as they do, `SESSION_LOCKED` aside. */
  async open(id: SessionId): Promise<SessionView> {
    this.#requireOpen()
    requireId(id)
    const { tabs } = this.#registry
    // Where there are no locks, a load would just take it.
    if (!tabs.locks.areThere && this.get(id) === undefined && (await tabs.isElsewhere(id))) return this.follow(id)
    try {
      return await this.load(id)
    } catch (error) {
      if (!(error instanceof SessionStoreError) || error.code !== 'SESSION_LOCKED') throw error
      return this.follow(id)
    }
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
   * listener of `session/flush` is done; to false in memory mode, where nothing is. Rejects with `SESSION_NOT_LIVE`, `SESSION_CONFLICT`, with storage errors (the events
   * are kept, and sent again by the next append or flush), else with the first failure of a listener.
   */
  async flush(session: Session): Promise<boolean> {
    await this.#registry.flush(session)
    return !this.#connection.isMemory
  }

  /** How the store is doing. Changes are told to listeners of 'status', with the error that says why. */
  get status(): StoreStatus {
    return this.#connection.status.current
  }

  /** What the browser tells of this origin's storage, bytes; what it does not tell is absent. */
  async storage(): Promise<StorageFigures> {
    this.#requireOpen()
    return storageFigures()
  }

  /**
   * Asks the browser to keep the data of this origin when it needs room; some ask the user, and answer when they did. False
   * where it cannot be asked, and in memory mode.
   */
  async persist(): Promise<boolean> {
    this.#requireOpen()
    return !this.#connection.isMemory && askToPersist()
  }

  /** What is stored, newest activity first. Sessions that were created and never used are not listed. */
  async stored(): Promise<StoredSession[]> {
    this.#requireOpen()
    const rows = await this.#connection.call('list')
    await this.#registry.tabs.writers.refresh()
    return rows.map((row) => toStoredSession(row, this.#registry.writerOf(row.header.id))).sort(byActivity)
  }

  /**
   * A session's header and events, without making it live and without writing. When it is live nowhere, with the
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
    const closers = interruptedTurnClosers(events)
    const isOpen = closers.length > 0 && (await this.#registry.tabs.isElsewhere(id))
    return { header, events: Object.freeze(isOpen ? events : [...events, ...freezeJson(closers)]) }
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
   * Gives a session a title beside its log, which `stored()` and `index` then show instead of the log's own; no event is
   * written, so forks and fork points are as before. The session may be live here, elsewhere or nowhere. Forks do not
   * inherit it, exports do not hold it.
   *
   * Rejects with `SESSION_NOT_FOUND` and storage errors, and with a `TypeError` for what is no string.
   * @param title cut to 1,000 characters; '' takes it away, and the log's own shows again
   */
  async setTitle(id: SessionId, title: string): Promise<void> {
    this.#requireOpen()
    return setTitle(this.#registry, id, title)
  }

  /**
   * Every stored session that shares events with this one, as a tree seen from it: what they truly have in common,
   * whichever ancestors are deleted by now, and found without reading a log. After them those that share nothing but
   * where they came from, since they branched off before the first turn: `shared` is 0.
   *
   * Of sessions that part at one place, the one that was asked for stays, else the oldest; the others part from it
   * there, `sharedWith` it, after `shared` events. Each comes after the one it parts from and before those that part
   * from it, so the list can be indented; those that part from the same one by `shared`, then by age.
   *
   * Rejects with `SESSION_NOT_FOUND`, `SESSION_CORRUPT` (the record of what it inherits is missing) and storage errors.
   */
  async branches(id: SessionId): Promise<readonly Branch[]> {
    this.#requireOpen()
    requireId(id)
    // One that is on its way into storage is there when that is done.
    await this.#registry.get(id)?.outbox.drain(0)
    return this.#connection.call('branches', id, this.#registry.presence.token)
  }

  /**
   * What two sessions begin with in common, compared event for event as JSON text, and what follows it in each: of one
   * that is live here with what is not stored yet, of others as it is stored, open turns included. What they share in
   * storage is not read.
   *
   * Rejects with `SESSION_NOT_FOUND`, `SESSION_CORRUPT` (damage in what had to be read), `FORMAT_UNSUPPORTED` (an event
   * that this page does not know and may not ignore) and storage errors.
   */
  async compare(a: SessionId, b: SessionId): Promise<Comparison> {
    this.#requireOpen()
    requireId(a)
    requireId(b)
    return compareLogs(this.#registry, a, b)
  }

  /**
   * Deletes sessions, all that can go in one transaction, and frees what no other session shares; forks stay whole. One
   * that is live in another tab stays, 'locked'. One that is live here is disposed first, and what it has not stored is dropped. Rejects with storage errors; what was
   * live is released then, and what was stored of it is still there. Rejects with `SESSION_NOT_FOUND` for what is no id.
   */
  async delete(ids: SessionId | readonly SessionId[]): Promise<readonly DeleteOutcome[]> {
    this.#requireOpen()
    return deleteSessions(this.#registry, ids)
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
    return { session: toStoredSession(row, 'none'), ...(dropped !== undefined && { dropped }) }
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
    if (this.#isClosed) return
    await releaseAll(this.#registry, () => (this.#isClosed = true))
    this.#unwatch()
    this.#connection.end(closedError())
  }

  /** Catches up with what was not heard while nobody saw the page. */
  #lookAgain(): void {
    for (const following of this.#followed) void following.read()
    this.#registry.tabs.writers.resume()
  }

  #requireOpen(): void {
    if (this.#isClosed) throw closedError()
  }
}

function closedError(): SessionStoreError {
  return new SessionStoreError('CLOSED', 'the store was closed; open it again with openSessions')
}
