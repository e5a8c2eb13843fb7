import type { SessionEvent, SessionId, SessionStore } from 'idb-sessions'
import { foldTranscript } from 'idb-sessions/log'
import { makeGrouping, type Turn } from '../transcript/turns'

export interface Side {
  /** The turns of its own. */
  turns: readonly Turn[]
  at: (seq: number) => SessionEvent | undefined
}

export interface Compared {
  /** Turns that both have, whole. */
  shared: Side
  a: Side
  b: Side
}

/** What two sessions have in common, and how each goes on, in turns. */
export async function compareSessions(store: SessionStore, a: SessionId, b: SessionId): Promise<Compared> {
  const [{ events }, rest] = await Promise.all([store.inspect(a), store.compare(a, b)])
  const prefix = events.slice(0, rest.shared)
  const [whole, other] = [rest.a, rest.b].map((own) => readTurns([...prefix, ...own]))
  const isShared = ({ entries }: Turn): boolean => (entries.at(-1)?.forkAt ?? Infinity) < rest.shared
  const own = ({ turns, at }: Side): Side => ({ turns: turns.filter((turn) => !isShared(turn)), at })
  return {
    shared: { turns: whole!.turns.filter(isShared), at: whole!.at },
    a: own(whole!),
    b: own(other!),
  }
}

export function readTurns(events: readonly SessionEvent[]): Side {
  return { turns: makeGrouping()(foldTranscript(events)).turns, at: (seq) => events[seq] }
}
