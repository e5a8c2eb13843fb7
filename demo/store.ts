import { createContext, useContext, useState, useSyncExternalStore } from 'react'
import type { SessionStore, StoredSession } from 'idb-sessions'

/** The page's store. It is open before anything is drawn. */
export const StoreContext = createContext<SessionStore | undefined>(undefined)

export function useStore(): SessionStore {
  const store = useContext(StoreContext)
  if (store === undefined) throw new Error('there is no store around this component')
  return store
}

/** What is stored, newest activity first; rows that did not change are the same objects. */
export function useSessions(): readonly StoredSession[] {
  const { index } = useStore()
  return useSyncExternalStore(index.subscribe, () => index.current)
}

/** The same, but another array only when a session comes, goes, or has a turn more: not for each word of an answer. */
export function useSettledSessions(): readonly StoredSession[] {
  const sessions = useSessions()
  const [settled, settle] = useState(sessions)
  if (sessions !== settled && summary(sessions) !== summary(settled)) settle(sessions)
  return settled
}

function summary(sessions: readonly StoredSession[]): string {
  return sessions.map(({ header, openTurn, length }) => `${header.id} ${openTurn ? 'open' : length}`).join()
}
