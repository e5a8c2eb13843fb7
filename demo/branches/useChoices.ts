import { useEffect, useMemo, useState } from 'react'
import type { Branch, SessionId } from 'idb-sessions'
import { useSessions, useStore } from '../store'
import { findChoices, type Choice } from './choices'

/** Where the branches of a session part from it; see `findChoices`. */
export function useChoices(id: SessionId, starts: readonly number[]): ReadonlyMap<number, Choice> {
  const sessions = useSessions()
  const branches = useBranches(id)
  return useMemo(() => findChoices(id, starts, branches, sessions), [id, starts, branches, sessions])
}

const NONE: readonly Branch[] = []

/** Read again when a session comes or goes: what two have in common does not change while they grow. */
function useBranches(id: SessionId): readonly Branch[] {
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
