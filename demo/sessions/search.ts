import { useEffect, useState } from 'react'
import type { SessionId, SessionStore, StoredSession } from 'idb-sessions'
import { textOf } from '../chat/ask'
import { readTurns } from '../compare/compareSessions'
import { useSettledSessions, useStore } from '../store'

/** A text as it is searched in: without case and accents. */
export function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
}

/** Characters before what was found, and all that is shown. */
const BEFORE = 24
const SHOWN = 90

interface Line {
  text: string
  /** Of its turn. */
  place: number
}

interface Text {
  length: number
  lines: readonly Line[]
}

export interface Found {
  /** The words that are searched for, and those around them. */
  text: string
  /** Of the turn that holds them. */
  place: number
}

/** Read once, and again when a session has grown. */
const texts = new Map<SessionId, Text>()

/** What people and models said: for each session that holds the wanted words, where. More come as they are read. */
export function useTextSearch(wanted: string): ReadonlyMap<SessionId, Found> {
  const store = useStore()
  const settled = useSettledSessions()
  const [found, setFound] = useState({ wanted, places: NONE })
  useEffect(() => {
    if (wanted === '') return undefined
    let isCurrent = true
    const search = async (): Promise<void> => {
      const places = new Map<SessionId, Found>()
      for (const session of settled) {
        const place = findIn(await linesOf(store, session), wanted)
        if (!isCurrent) return
        if (place === undefined) continue
        places.set(session.header.id, place)
        setFound({ wanted, places: new Map(places) })
      }
      setFound({ wanted, places })
    }
    void search()
    return () => void (isCurrent = false)
  }, [store, settled, wanted])
  return found.wanted === wanted ? found.places : NONE
}

const NONE: ReadonlyMap<SessionId, Found> = new Map()

async function linesOf(store: SessionStore, { header: { id }, length }: StoredSession): Promise<readonly Line[]> {
  const known = texts.get(id)
  if (known?.length === length) return known.lines
  try {
    const { events } = await store.inspect(id)
    const lines = readTurns(events).turns.flatMap(({ entries }, place) =>
      entries.flatMap(({ blocks }) =>
        textOf(blocks)
          .split('\n')
          .map((text) => ({ text, place })),
      ),
    )
    texts.set(id, { length, lines })
    return lines
  } catch {
    // Who opens it is told why it cannot be read.
    return []
  }
}

function findIn(lines: readonly Line[], wanted: string): Found | undefined {
  const line = lines.find(({ text }) => fold(text).includes(wanted))
  if (line === undefined) return undefined
  const { text, place } = line
  const at = Math.max(0, fold(text).indexOf(wanted) - BEFORE)
  return { text: `${at > 0 ? '…' : ''}${text.slice(at, at + SHOWN)}${text.length > at + SHOWN ? '…' : ''}`, place }
}
