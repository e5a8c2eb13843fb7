import type { SessionStore } from 'idb-sessions'
import { report } from '../notices/notices'
import { Observable } from '../observable'
import { nameApart, type ListedSession } from './names'

/** The list of stored sessions, read again whenever it may have changed. Undefined until it was read for the first time. */
export class StoredSessions extends Observable<readonly ListedSession[] | undefined> {
  #reading = false
  #stale = false

  constructor(private readonly store: SessionStore) {
    super(undefined)
    const refresh = (): void => void this.refresh()
    store.on('stored/changed', refresh)
    // Also when another tab takes a session over, or deletes it.
    store.on('session/disposed', refresh)
    // Other tabs write too, and do not tell.
    addEventListener('focus', refresh)
    document.addEventListener('visibilitychange', refresh)
    refresh()
  }

  /** For whoever learns that the list is out of date, as an action that finds its session gone. */
  async refresh(): Promise<void> {
    this.#stale = true
    // One read at a time: while an answer streams, changes come faster than lists.
    if (this.#reading) return
    this.#reading = true
    try {
      while (this.#stale) {
        this.#stale = false
        this.set(nameApart(await this.store.stored()))
      }
    } catch (error) {
      report('The list of sessions could not be read', error, () => void this.refresh())
    } finally {
      this.#reading = false
    }
  }
}
