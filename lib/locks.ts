/**
 * The Web Lock of a session, held by the page that writes it. Missing on plain-http pages, and in Node: there the epoch in
 * the database alone decides who may write. Not needed for what is in memory, and often denied where that is all there is.
 */
import { sessionLock, sessionOfLock } from './wire/protocol.js'
import type { SessionId } from './log/event.js'

/** How long a lock that is held elsewhere is waited for: a page that was just reloaded frees it within 100, ms. */
const SHORT_WAIT = 1000

/** The right to write one session. One that is stolen is gone without being released. */
export class Right {
  #isStolen = false
  /** Called when another tab takes it by force. */
  onStolen: () => void = () => {}

  /** @param release lets go of it; called again, it does nothing */
  constructor(readonly release: () => void) {}

  /** Another tab has it, and this one may not go on as if it had. */
  get isStolen(): boolean {
    return this.#isStolen
  }

  stolen(): void {
    this.#isStolen = true
    this.onStolen()
  }
}

export class SessionLocks {
  readonly #locks: LockManager | undefined
  readonly #mine = new Map<SessionId, Right>()

  /** @param isAlone no other page can have its sessions */
  constructor(
    private readonly databaseName: string,
    isAlone: boolean,
  ) {
    this.#locks = isAlone ? undefined : globalThis.navigator?.locks
  }

  get areThere(): boolean {
    return this.#locks !== undefined
  }

  /** The one that this page has, be it for a call that is still under way. */
  mine(id: SessionId): Right | undefined {
    return this.#mine.get(id)
  }

  /** Resolves to undefined when another tab keeps holding it. */
  async take(id: SessionId): Promise<Right | undefined> {
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), SHORT_WAIT)
    try {
      return await this.queue(id, limit.signal)
    } catch (error) {
      if (limit.signal.aborted) return undefined
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Undefined when it is held. */
  takeIfFree(id: SessionId): Promise<Right | undefined> {
    return this.#request(id, { ifAvailable: true })
  }

  /** Resolves when it is this page's turn; rejects when `signal` ends the wait. */
  async queue(id: SessionId, signal: AbortSignal): Promise<Right> {
    return (await this.#request(id, { signal }))!
  }

  /** Takes it from whoever holds it. */
  async steal(id: SessionId): Promise<Right> {
    return (await this.#request(id, { steal: true }))!
  }

  /** Whether any tab writes the session, this one included. */
  async isHeld(id: SessionId): Promise<boolean> {
    const options = { mode: 'shared', ifAvailable: true } as const
    try {
      const isHeld = this.#locks?.request(sessionLock(this.databaseName, id), options, (lock) => lock === null)
      return (await isHeld) ?? false
    } catch (error) {
      // To look is to hold it for a moment, in which another tab may take it by force.
      if ((error as DOMException).name === 'AbortError') return true
      throw error
    }
  }

  /** Who holds it, if only to look whether it is free: a name that tells one tab from another. As `held`, a last resort. */
  async holderOf(id: SessionId): Promise<string | undefined> {
    const name = sessionLock(this.databaseName, id)
    const { held = [] } = (await this.#locks?.query()) ?? {}
    return held.find((lock) => lock.name === name)?.clientId
  }

  /**
   * The sessions that any tab writes, this one included. A last resort: in Chromium the question alone throws all pages
   * that hold a lock, and be it their workers', out of the back/forward cache.
   */
  async held(): Promise<Set<SessionId>> {
    const { held = [] } = (await this.#locks?.query()) ?? {}
    const ids = held.map(({ name = '' }) => sessionOfLock(this.databaseName, name))
    return new Set(ids.filter((id) => id !== undefined))
  }

  #request(id: SessionId, options: LockOptions): Promise<Right | undefined> {
    return new Promise((resolve, reject) => {
      let right: Right | undefined
      const hold = (lock: Lock | null): Promise<void> | undefined => {
        if (lock === null) {
          resolve(undefined)
          return undefined
        }
        return new Promise((free) => {
          right = this.#granted(id, free)
          resolve(right)
        })
      }
      if (this.#locks === undefined) return resolve(this.#granted(id, () => {}))
      this.#locks.request(sessionLock(this.databaseName, id), options, hold).catch((error: unknown) => {
        if (right === undefined) return reject(error)
        this.#gone(id, right)
        right.stolen()
      })
    })
  }

  #granted(id: SessionId, free: () => void): Right {
    const right = new Right(() => {
      this.#gone(id, right)
      free()
    })
    this.#mine.set(id, right)
    return right
  }

  #gone(id: SessionId, right: Right): void {
    if (this.#mine.get(id) === right) this.#mine.delete(id)
  }
}
