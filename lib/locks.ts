/**
 * The Web Lock of a session, held by the page that writes it. Missing on plain-http pages, and in Node: there the epoch in
 * the database alone decides who may write.
 */
import { sessionLock, sessionOfLock } from './wire/protocol.js'
import type { SessionId } from './log/event.js'

/** How long a lock that is held elsewhere is waited for: a page that was just reloaded frees it within 100, ms. */
const SHORT_WAIT = 1000

export interface HeldLock {
  release(): void
}

const NO_LOCK: HeldLock = { release: () => {} }

export class SessionLocks {
  readonly #locks = globalThis.navigator?.locks as LockManager | undefined

  constructor(private readonly databaseName: string) {}

  get areThere(): boolean {
    return this.#locks !== undefined
  }

  /**
   * Resolves to undefined when another tab keeps holding it.
   * @param stolen called when another tab takes it by force
   */
  async take(id: SessionId, stolen: () => void = () => {}): Promise<HeldLock | undefined> {
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(), SHORT_WAIT)
    try {
      return await this.queue(id, stolen, limit.signal)
    } catch (error) {
      if (limit.signal.aborted) return undefined
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Undefined when it is held. */
  takeIfFree(id: SessionId, stolen: () => void): Promise<HeldLock | undefined> {
    return this.#request(id, { ifAvailable: true }, stolen)
  }

  /** Resolves when it is this page's turn; rejects when `signal` ends the wait. */
  async queue(id: SessionId, stolen: () => void, signal: AbortSignal): Promise<HeldLock> {
    return (await this.#request(id, { signal }, stolen))!
  }

  /** Takes it from whoever holds it. */
  async steal(id: SessionId, stolen: () => void): Promise<HeldLock> {
    return (await this.#request(id, { steal: true }, stolen))!
  }

  /** Whether any tab writes the session, this one included. */
  async isHeld(id: SessionId): Promise<boolean> {
    const options = { mode: 'shared', ifAvailable: true } as const
    const isHeld = this.#locks?.request(sessionLock(this.databaseName, id), options, (lock) => lock === null)
    return (await isHeld) ?? false
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

  #request(id: SessionId, options: LockOptions, stolen: () => void): Promise<HeldLock | undefined> {
    if (this.#locks === undefined) return Promise.resolve(NO_LOCK)
    const name = sessionLock(this.databaseName, id)
    return new Promise((resolve, reject) => {
      let isMine = false
      const hold = (lock: Lock | null): Promise<void> | undefined => {
        if (lock === null) {
          resolve(undefined)
          return undefined
        }
        isMine = true
        return new Promise((free) => {
          const release = (): void => {
            isMine = false
            free()
          }
          resolve({ release })
        })
      }
      this.#locks!.request(name, options, hold).catch((error: unknown) => (isMine ? stolen() : reject(error)))
    })
  }
}
