import type { SessionId, StoredSession } from 'idb-sessions'

export interface TreeRow {
  session: StoredSession
  /** 0: no fork, or its parent is not stored any more. */
  depth: number
}

/** Sessions as a tree of forks, from top to bottom: the family that was used last first, in it forks by their age. */
export function treeOf(sessions: readonly StoredSession[]): TreeRow[] {
  const known = new Set(sessions.map(({ header }) => header.id))
  const forks = new Map<SessionId | undefined, StoredSession[]>()
  for (const session of sessions) {
    const { parentSession } = session.header
    const parent = parentSession !== undefined && known.has(parentSession) ? parentSession : undefined
    forks.set(parent, [...(forks.get(parent) ?? []), session])
  }
  const placed = new Set<SessionId>()
  const family = (session: StoredSession, depth: number): TreeRow[] => {
    const { id } = session.header
    if (placed.has(id)) return []
    placed.add(id)
    const children = [...(forks.get(id) ?? [])].sort((a, b) => a.header.createdAt - b.header.createdAt)
    return [{ session, depth }, ...children.flatMap((child) => family(child, depth + 1))]
  }
  const families = (forks.get(undefined) ?? []).map((root) => family(root, 0))
  // Files may say of two sessions that each is the other's parent: those have no root.
  for (const session of sessions) {
    if (!placed.has(session.header.id)) families.push(family(session, 0))
  }
  return families.sort((a, b) => lastTime(b) - lastTime(a)).flat()
}

function lastTime(family: readonly TreeRow[]): number {
  return family.reduce((latest, { session }) => Math.max(latest, session.lastTime), -Infinity)
}
