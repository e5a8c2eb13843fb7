/** Messages out of rows: the pure functions of this library do it for those that have none. */
import type { SessionEvent } from 'idb-sessions'
import { deriveEventMessage, foldSurface } from 'idb-sessions/log'

export function countMessages(events: readonly SessionEvent[]): number {
  return foldSurface(events).nodes.filter((seq) => deriveEventMessage(events[seq]!) !== null).length
}
