import { useEffect, useState } from 'react'
import type { Branch, SessionId } from 'idb-sessions'
import { useStore } from '../store'

const NONE: readonly Branch[] = []

/** The relatives of a session, as `store.branches` gives them. Read again when a session comes or goes: what two have in common does not change while they grow. */
export function useBranches(id: SessionId): readonly Branch[] {
  const store = useStore()
  const [branches, setBranches] = useState(NONE)
  useEffect(() => {
    let isCurrent = true
    const read = (): void => {
      store.branches(id).then(
        (read) => isCurrent && setBranches(read),
        // The session cannot be read: whoever shows it says so.
        () => isCurrent && setBranches(NONE),
      )
    }
    read()
    const unsubscribe = store.on('stored/changed', ({ kind }) => {
      if (kind === 'created' || kind === 'deleted') read()
    })
    return () => {
      isCurrent = false
      unsubscribe()
    }
  }, [store, id])
  return branches
}
