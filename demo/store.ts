import { createContext, useContext, useSyncExternalStore } from 'react'
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
