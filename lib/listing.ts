/** The list of stored sessions, kept up to date: what a menu shows. */
import { oncePerFrame } from './frame.js'
import { Listeners } from './listeners.js'
import type { SessionId } from './log/event.js'
import { sameJson } from './log/json.js'
import type { Registry } from './registry.js'
import { byActivity, toStoredSession, type StoredSession } from './stored.js'
import type { StoredRow } from './wire/protocol.js'

/** An external store, as React's `useSyncExternalStore` takes it. */
export interface SessionIndex {
  /** Frozen, and so is each row; the same array, and the same rows, until they change. */
  readonly current: readonly StoredSession[]
  /** Calls `listener` after `current` has changed, at most once per frame. Returns what ends it. Bound. */
  readonly subscribe: (listener: () => void) => () => void
}

/**
 * Everything it learns it learns from the store's own listeners: 'stored/changed' says which row to read again, whoever
 * changed it, and so does a change of who writes it elsewhere; a session that comes or goes here changes its `writer`.
 * Nothing is read before it is first used, then the whole list once, and from then on only what changed.
 */
export class Listing implements SessionIndex {
  readonly #rows = new Map<SessionId, StoredSession>()
  /** Undefined: made anew from the rows when it is asked for next. */
  #current: readonly StoredSession[] | undefined
  #isUsed = false
  /** The whole list was read, or is being read, and nothing said since that it is stale. */
  #isWhole = false
  #isReading = false
  /** Rows to be read again. */
  readonly #stale = new Set<SessionId>()
  readonly #listeners = new Listeners<{ index(): void }>()
  readonly #notify = oncePerFrame(() => this.#listeners.emit('index'))

  constructor(private readonly registry: Registry) {}

  get current(): readonly StoredSession[] {
    this.#use()
    return (this.#current ??= Object.freeze([...this.#rows.values()].sort(byActivity)))
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    if (typeof listener !== 'function') throw new TypeError('what subscribes to the index is a function')
    this.#use()
    // Whoever comes later should not find it empty because of what failed then.
    if (!this.#isWhole) void this.#read()
    return this.#listeners.on('index', listener)
  }

  /** Reads the whole list once more: the page was where it heard nothing. */
  readAgain(): void {
    if (!this.#isUsed) return
    this.#isWhole = false
    void this.#read()
  }

  #use(): void {
    if (this.#isUsed) return
    this.#isUsed = true
    const { listeners } = this.registry
    listeners.on('stored/changed', ({ id }) => this.#reread(id))
    listeners.on('session/created', ({ id }) => this.#setWriter(id))
    this.registry.tabs.writers.on((id) => {
      this.#setWriter(id)
      // A writer that has ended may not have come to say what it stored last.
      if (this.#rows.has(id)) this.#reread(id)
    })
    listeners.on('session/disposed', ({ id, state }) => {
      this.#setWriter(id)
      // Another tab took it over or deleted it, and this is how we know.
      if (state !== 'released') this.#reread(id)
    })
    void this.#read()
  }

  #reread(id: SessionId): void {
    this.#stale.add(id)
    void this.#read()
  }

  /** Reads what is stale, one call at a time. Never rejects: what could not be read is read after the next change. */
  async #read(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      do await this.#readOnce()
      while (this.#stale.size > 0 || !this.#isWhole)
    } catch {
      // Whoever changes or reads something else is told what is wrong with the storage.
    } finally {
      this.#isReading = false
    }
  }

  async #readOnce(): Promise<void> {
    const isWhole = this.#isWhole
    const ids = [...this.#stale]
    // Whatever is said to be stale from here on is read once more.
    this.#isWhole = true
    this.#stale.clear()
    try {
      if (!isWhole) await this.#readAll()
      else if (ids.length > 0) {
        const rows = await this.registry.connection.call('rows', ids)
        for (const [i, id] of ids.entries()) this.#put(id, rows[i])
      }
    } catch (error) {
      this.#isWhole &&= isWhole
      for (const id of ids) this.#stale.add(id)
      throw error
    }
  }

  async #readAll(): Promise<void> {
    const rows = await this.registry.connection.call('list')
    await this.registry.tabs.writers.refresh()
    const gone = new Set(this.#rows.keys())
    for (const row of rows) {
      gone.delete(row.header.id)
      this.#put(row.header.id, row)
    }
    for (const id of gone) this.#put(id, undefined)
  }

  #put(id: SessionId, row: StoredRow | undefined): void {
    const before = this.#rows.get(id)
    if (row === undefined) {
      if (this.#rows.delete(id)) this.#changed()
      return
    }
    const after = toStoredSession(row, this.registry.writerOf(id))
    if (before === undefined) this.#set(id, after)
    else if (!sameJson(before, after)) {
      this.#set(id, sameJson(before.header, after.header) ? { ...after, header: before.header } : after)
    }
  }

  #setWriter(id: SessionId): void {
    const before = this.#rows.get(id)
    const writer = this.registry.writerOf(id)
    if (before !== undefined && before.writer !== writer) this.#set(id, { ...before, writer })
  }

  #set(id: SessionId, row: StoredSession): void {
    this.#rows.set(id, Object.freeze(row))
    this.#changed()
  }

  #changed(): void {
    this.#current = undefined
    this.#notify()
  }
}
