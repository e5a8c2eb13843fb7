/** What an application adds to the types by declaration merging, for all files of this folder. */
import 'idb-sessions'

declare module 'idb-sessions' {
  interface SessionEventMap {
    'application/rated': { stars: 1 | 2 | 3 | 4 | 5; comment?: string }
  }
  interface TurnEndReasonMap {
    'application/bored': { kind: 'application/bored'; after: number }
  }
}
