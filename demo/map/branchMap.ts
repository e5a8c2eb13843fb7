import type { SessionId, SessionStore } from 'idb-sessions'
import { readTurns } from '../compare/compareSessions'
import type { Turn } from '../transcript/turns'

export interface Node {
  /** Of the session whose own turn it is, or the first in the map that has it. */
  session: SessionId
  label: string
  /** Turns before it. */
  column: number
  /** Sessions above it. */
  lane: number
  /** Where the turn before it stands; undefined: it is a first one. */
  from: { column: number; lane: number } | undefined
}

export interface BranchMap {
  nodes: readonly Node[]
  /** By lane; and where its session ends, which may be in a turn of another one. */
  lanes: readonly { session: SessionId; end: { column: number; lane: number } | undefined }[]
  columns: number
}

/** A session and its relatives as a tree of turns: a lane for each, a turn after the other. */
export async function readMap(store: SessionStore, id: SessionId): Promise<BranchMap> {
  const branches = await store.branches(id)
  const lanes = [{ id, sharedWith: undefined, shared: 0 }, ...branches]
  const placed = new Map<SessionId, (Turn & { lane: number })[]>()
  const nodes: Node[] = []
  // In their order: each comes after the one it shares its beginning with.
  const logs = await Promise.all(lanes.map(async ({ id }) => (await store.inspect(id)).events))
  for (const [lane, { id: session, sharedWith, shared }] of lanes.entries()) {
    const { turns } = readTurns(logs[lane]!)
    const before = sharedWith === undefined ? [] : placed.get(sharedWith)!
    const path = turns.map((turn, column) => {
      const isShared = (turn.entries.at(-1)?.forkAt ?? Infinity) < shared
      return isShared && before[column] !== undefined ? before[column] : { ...turn, lane }
    })
    placed.set(session, path)
    for (const [column, turn] of path.entries()) {
      if (turn.lane !== lane) continue
      const previous = path[column - 1]
      nodes.push({
        session,
        label: labelOf(turn),
        column,
        lane,
        from: previous && { column: column - 1, lane: previous.lane },
      })
    }
  }
  return {
    nodes,
    lanes: lanes.map(({ id: session }) => {
      const path = placed.get(session)!
      return { session, end: path.length === 0 ? undefined : { column: path.length - 1, lane: path.at(-1)!.lane } }
    }),
    columns: Math.max(1, ...[...placed.values()].map((path) => path.length)),
  }
}

/** What was asked. */
function labelOf({ entries }: Turn): string {
  const asked = entries.find(({ role }) => role === 'user') ?? entries[0]
  const text = asked?.blocks.map((block) => ('text' in block ? block.text : '')).join(' ') ?? ''
  return text.trim() || '(no text)'
}
