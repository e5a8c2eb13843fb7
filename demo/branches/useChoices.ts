import { useMemo } from 'react'
import type { SessionId } from 'idb-sessions'
import { useSessions } from '../store'
import { findChoices, type Choice } from './choices'
import { useBranches } from './useBranches'

/** Where the branches of a session part from it; see `findChoices`. */
export function useChoices(id: SessionId, starts: readonly number[]): ReadonlyMap<number, Choice> {
  const sessions = useSessions()
  const branches = useBranches(id)
  return useMemo(() => findChoices(id, starts, branches, sessions), [id, starts, branches, sessions])
}
