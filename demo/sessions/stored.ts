import type { SessionStore, StoredSession } from 'idb-sessions'
import { report } from '../notices/notices'
import { Observable } from '../observable'

/** Undefined until it was read for the first time. */
export type StoredList = readonly StoredSession[] | undefined

/** The list of stored sessions, read again whenever it has changed. */
export function watchStored(store: SessionStore): Observable<StoredList> {
  const list = new Observable<StoredList>(undefined)
  let reading = false
  let stale = false

  // One read at a time: while an answer streams, changes come faster than lists.
  const read = async (): Promise<void> => {
    stale = true
    if (reading) return
    reading = true
    try {
      while (stale) {
        stale = false
        list.set(await store.stored())
      }
    } catch (error) {
      report('The list of sessions could not be read', error, () => void read())
    } finally {
      reading = false
    }
  }

  store.on('stored/changed', () => void read())
  // Other tabs write too.
  addEventListener('focus', () => void read())
  void read()
  return list
}

export function displayTitle({ title }: StoredSession): string {
  return title ?? 'Untitled'
}
