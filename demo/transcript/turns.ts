import { useState, useSyncExternalStore } from 'react'
import type { SessionView, TranscriptEntry } from 'idb-sessions'

/** What is shown as one: a prompt and all that was said and done until the turn's end. */
export interface Turn {
  readonly key: string
  /** Absent: a message outside of turns, alone. */
  readonly turn: number | undefined
  readonly entries: readonly TranscriptEntry[]
}

export interface Turns {
  readonly turns: readonly Turn[]
  /** The seq of each turn's first entry. The same array until a turn begins. */
  readonly starts: readonly number[]
}

/** The transcript of a session in turns, also while it streams; those that did not change are the same objects. */
export function useTurns(view: SessionView): Turns {
  const entries = useSyncExternalStore(view.subscribe, () => view.transcript)
  const [group] = useState(makeGrouping)
  return group(entries)
}

/** A function that groups the entries of one growing transcript, and knows what it gave before. */
export function makeGrouping(): (entries: readonly TranscriptEntry[]) => Turns {
  let from: readonly TranscriptEntry[] | undefined
  let given: Turns = { turns: [], starts: [] }
  return (entries) => {
    if (entries === from) return given
    from = entries
    const turns: Turn[] = []
    for (let at = 0; at < entries.length;) {
      const { key, turn } = entries[at]!
      let end = at + 1
      if (turn !== undefined) while (entries[end]?.turn === turn) end++
      const before = given.turns[turns.length]
      const part = entries.slice(at, end)
      turns.push(before !== undefined && isSame(before.entries, part) ? before : { key, turn, entries: part })
      at = end
    }
    const { starts } = given
    const grown = turns.length !== starts.length
    given = { turns, starts: grown ? turns.map(({ entries }) => entries[0]!.seq) : starts }
    return given
  }
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((entry, i) => entry === b[i])
}
