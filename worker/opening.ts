/** Opening the database, in bounded time, and giving way to whoever needs it for itself. */
import { openDB, type IDBPDatabase } from 'idb'
import { SessionStoreError } from '../lib/wire/errors.js'
import { afterSeconds } from '../lib/wire/limit.js'
import type { News } from '../lib/wire/protocol.js'
import { blocked, gone, nameOf, openError } from './failures.js'
import type { Format } from './format.js'
import { beginNewLog } from './leveldb.js'
import type { Schema } from './records.js'

/** How long an open may wait for other tabs, s. */
const OPEN_LIMIT = 10
/** How long another page that wants to upgrade or delete the database waits for this page's last events, s. */
const LEAVE_LIMIT = 2
/** Chromium may fail to open its files for a moment; waits before it is tried again, ms. */
const OPEN_AGAIN = [50, 200, 500]

export class Opening {
  /** Ends the wait for the page's last events. */
  #left: () => void = () => {}

  constructor(
    private readonly name: string,
    private readonly format: Format,
    private readonly tell: (news: News) => void,
  ) {}

  /**
   * Rejects with `STORAGE_UNAVAILABLE`, `BLOCKED` (another tab keeps it), `FORMAT_UNSUPPORTED` (a newer version), `STORAGE_FULL`, and
   * `STORAGE_GONE` when it `mustExist` and does not; then none is made.
   * @param lost called when the connection is not to be used any more
   */
  async open(mustExist: boolean, lost: () => void): Promise<IDBPDatabase<Schema>> {
    if (typeof indexedDB === 'undefined') {
      throw new SessionStoreError('STORAGE_UNAVAILABLE', 'this browser, or its private mode, offers no IndexedDB')
    }
    let isLate = false
    let inTime = (): void => {}
    const limit = new Promise<never>((_, reject) => {
      inTime = afterSeconds(OPEN_LIMIT, () => {
        isLate = true
        reject(blocked(this.name))
      })
    })
    const opening = this.#openAgain(mustExist, lost)
    const ready = beginNewLog().then(() => opening)
    // One that opens after the limit would block other tabs for nothing.
    opening.then((db) => isLate && db.close()).catch(() => {})
    try {
      return await Promise.race([ready, limit])
    } catch (error) {
      throw error instanceof SessionStoreError ? error : openError(this.name, error)
    } finally {
      inTime()
    }
  }

  async #openAgain(mustExist: boolean, lost: () => void): Promise<IDBPDatabase<Schema>> {
    for (const wait of OPEN_AGAIN) {
      try {
        return await this.#openOnce(mustExist, lost)
      } catch (error) {
        if (nameOf(error) !== 'UnknownError') throw error
        await new Promise((resolve) => setTimeout(resolve, wait))
      }
    }
    return this.#openOnce(mustExist, lost)
  }

  // A forbidden IndexedDB throws at once, a broken one rejects.
  async #openOnce(mustExist: boolean, lost: () => void): Promise<IDBPDatabase<Schema>> {
    let isGone = false
    let upgrading: { readonly error: DOMException | null } | undefined
    try {
      return await openDB<Schema>(this.name, this.format.version, {
        upgrade: (db, from, _to, tx) => {
          isGone = from === 0 && mustExist
          upgrading = tx
          tx.done.catch(() => {})
          if (isGone) tx.abort()
          else this.format.upgrade(db, from)
        },
        blocked: () => this.tell('blocked'),
        blocking: (_current, _blocked, event) => void this.#makeRoom(event.target as IDBDatabase, lost),
        terminated: lost,
      })
    } catch (error) {
      // The request says of an upgrade only that it was aborted.
      throw isGone ? gone(this.name) : (upgrading?.error ?? error)
    }
  }

  /** The page has sent what it had; whoever wants the database may have it. */
  leave(): void {
    this.#left()
  }

  /** Another page wants to upgrade or delete the database: it gets it as soon as this page's last events are stored. */
  async #makeRoom(db: IDBDatabase, lost: () => void): Promise<void> {
    await new Promise<void>((left) => {
      const inTime = afterSeconds(LEAVE_LIMIT, left)
      this.#left = () => {
        inTime()
        left()
      }
      this.tell('leaving')
    })
    lost()
    db.close()
  }
}
