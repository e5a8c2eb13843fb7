/** The sessions that are live here: how they come, go, and are told of. */
import type { Connection } from './connection.js'
import { notLive, SessionCore, type SessionHost } from './core.js'
import { oncePerFrame } from './frame.js'
import { Listeners } from './listeners.js'
import type { Right } from './locks.js'
import type { SessionEvent, SessionId } from './log/event.js'
import type { GrowingLog } from './log/growing.js'
import type { SessionHeader } from './log/header.js'
import type { Presence } from './presence.js'
import { Queues } from './queues.js'
import { Session } from './session.js'
import type { SessionStoreEvents, StoredChange } from './stored.js'
import { Tabs } from './tabs.js'
import type { Writer } from './writers.js'

export class Registry implements SessionHost {
  readonly listeners = new Listeners<SessionStoreEvents>()
  readonly #live = new Map<SessionId, SessionCore>()
  readonly queues = new Queues()
  readonly #grown = new Map<SessionId, number>()
  /** Releases under way. One is given up when the session is loaded again before its end. */
  readonly #releases = new Set<{ core: SessionCore; isGivenUp: boolean }>()
  /** The store is closing: every release comes to its end. */
  isClosing = false
  /** How many flushes of a session are under way. */
  readonly #flushing = new WeakMap<SessionCore, number>()

  /** `Session.saveAsFork`; set by whoever makes sessions. */
  saveAsFork!: SessionHost['saveAsFork']
  readonly tabs: Tabs

  constructor(
    readonly connection: Connection,
    readonly ownTypes: ReadonlySet<string>,
    readonly presence: Presence,
  ) {
    const { databaseName, isMemory } = connection
    this.tabs = new Tabs(databaseName, presence.token, isMemory, (id) => this.#live.has(id))
    connection.onEnd(() => {
      for (const core of this.all()) core.right?.release()
      this.tabs.end()
      this.presence.end()
    })
  }

  get(id: SessionId): SessionCore | undefined {
    return this.#live.get(id)
  }

  /** In the order in which they came. */
  all(): SessionCore[] {
    return [...this.#live.values()]
  }

  /** The live session behind this very object. */
  coreOf(session: Session): SessionCore | undefined {
    const core = this.#live.get(session.id)
    return core?.session === session ? core : undefined
  }

  /** The same, or an error that says why it cannot be written. */
  requireCore(session: Session): SessionCore {
    requireSession(session)
    const core = this.coreOf(session)
    if (core !== undefined) return core
    // Live, but in another store.
    throw notLive(session.id, session.state === 'live' ? 'released' : session.state)
  }

  /** Stores all that was appended before the call, strictly, and waits for the listeners. `SessionStore.flush` says more. */
  async flush(session: Session): Promise<void> {
    const core = this.requireCore(session)
    this.#flushing.set(core, (this.#flushing.get(core) ?? 0) + 1)
    try {
      const listeners = this.listeners.emitAndWait('session/flush', session)
      const [stored, told] = await Promise.allSettled([core.outbox.secure(), listeners])
      if (stored.status === 'rejected') throw stored.reason
      if (told.status === 'rejected') throw told.reason
    } finally {
      this.#flushing.set(core, this.#flushing.get(core)! - 1)
    }
  }

  /**
   * Stores what is left and lets the session go. `SessionStore.release` says more.
   * @param isTooLate whether to give up, and keep it, since nobody wants it any more
   */
  async release(session: Session, isTooLate: () => boolean = () => false): Promise<void> {
    requireSession(session)
    if (session.state !== 'live') return
    const core = this.requireCore(session)
    const release = { core, isGivenUp: false }
    this.#releases.add(release)
    try {
      // A listener of a flush may release the session: it has been told, and must not wait for itself.
      if (!this.#flushing.get(core)) await this.flush(session)
      await this.queues.exclusive([session.id], async () => {
        if (release.isGivenUp || core.state !== 'live') return
        // Events that were appended meanwhile are stored too.
        do await core.outbox.secure()
        while (core.outbox.safe < core.log.length)
        if (isTooLate()) return
        this.leave(core, 'released')
        await this.takeBack(core)
      })
    } catch (error) {
      // What was deleted meanwhile has nothing left to store.
      if (core.state !== 'deleted') throw error
    } finally {
      this.#releases.delete(release)
    }
  }

  /** The live session of an id, which stays: a release that did not come to its end yet is given up. */
  keep(id: SessionId): SessionCore | undefined {
    const core = this.#live.get(id)
    for (const release of this.#releases) if (release.core === core) release.isGivenUp = !this.isClosing
    return core
  }

  /** Sends what is left, of every session. Never rejects: what cannot be stored is kept. */
  async drain(): Promise<void> {
    await Promise.allSettled(this.all().map((core) => core.outbox.drain()))
  }

  /** A session that leaves without an event frees its id. What cannot be taken back blocks nobody. */
  async takeBack(core: SessionCore): Promise<void> {
    if (!core.isReserved) return
    await this.connection.call('unreserve', core.header.id, core.outbox.epoch).catch(() => {})
  }

  /** @param stored name of the stored log; default: the epoch, after which it is called when it is made */
  enter(
    header: SessionHeader,
    log: GrowingLog,
    firstLiveSeq: number,
    { epoch, stored = epoch, right }: { epoch: string; stored?: string; right: Right },
  ): SessionCore {
    const core = new SessionCore(this, header, log, firstLiveSeq, epoch, stored)
    this.#live.set(header.id, core)
    this.tabs.writers.came(header.id)
    this.entitle(core, right)
    // The page has gone while it was made.
    if (this.tabs.isAway) this.suspend(core)
    return core
  }

  /** Nothing of the session is sent, and others may have it, until it is entitled again. */
  suspend(core: SessionCore): void {
    core.outbox.send()
    core.outbox.hold()
    core.right?.release()
    core.right = undefined
    this.tabs.tellWriter(core.header.id, false)
  }

  /** From now on it is this right that the session is written by. */
  entitle(core: SessionCore, right: Right): void {
    core.right = right
    right.onStolen = () => this.lost(core, 'conflict')
  }

  /** Tells of a session that has entered. A listener that throws sends it away again. */
  announce(core: SessionCore): void {
    try {
      this.listeners.emitOrThrow('session/created', core.session)
    } catch (error) {
      this.leave(core, 'released')
      throw error
    }
  }

  leave(core: SessionCore, state: 'conflict' | 'released' | 'deleted'): void {
    if (this.#live.get(core.header.id) !== core) return
    this.#live.delete(core.header.id)
    core.leave(state)
    this.listeners.emit('session/disposed', core.session)
    core.right?.release()
    core.right = undefined
    this.tabs.tellWriter(core.header.id, false)
  }

  /** Tells listeners and other tabs what this page has stored. What others have stored reaches listeners by `Handover`. */
  changed(change: StoredChange): void {
    if (change.kind === 'deleted') this.#grown.delete(change.id)
    this.listeners.emit('stored/changed', change)
    this.tabs.tellChange(change)
  }

  writerOf(id: SessionId): Writer {
    return this.tabs.writers.of(id)
  }

  /** Calls `listener` when another than before writes the session. Returns what ends it. */
  onWriter(id: SessionId, listener: () => void): () => void {
    const told = (of: SessionId): void => void (of === id && listener())
    const here = ({ id }: Session): void => told(id)
    const stops = [
      this.tabs.writers.on(told),
      this.listeners.on('session/created', here),
      this.listeners.on('session/disposed', here),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  published(session: Session, event: SessionEvent): void {
    this.listeners.emit('session/event', session, event)
  }

  /** A session is stored. One that is only reserved is nobody's business yet. */
  created(core: SessionCore, length: number): void {
    if (core.isReserved) return
    this.changed({ id: core.header.id, kind: 'created', length })
  }

  grown(core: SessionCore): void {
    if (core.isReserved) {
      core.isReserved = false
      return this.created(core, core.durable)
    }
    this.#grown.set(core.header.id, core.durable)
    this.#tellGrown()
  }

  lost(core: SessionCore, state: 'conflict' | 'deleted'): void {
    this.leave(core, state)
    this.tabs.writers.lookAt(core.header.id).catch(() => {})
  }

  readonly #tellGrown = oncePerFrame(() => {
    const grown = [...this.#grown]
    this.#grown.clear()
    for (const [id, length] of grown) this.changed({ id, kind: 'grown', length })
  })
}

function requireSession(session: unknown): void {
  if (session instanceof Session) return
  throw new TypeError('this call takes a Session: what create, fork, load and get give')
}
