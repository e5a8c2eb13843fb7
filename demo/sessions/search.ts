import { useEffect, useState } from 'react'
import type { SessionId, SessionStore, StoredSession } from 'idb-sessions'
import { foldTranscript } from 'idb-sessions/log'
import { textOf } from '../chat/ask'
import { useSettledSessions, useStore } from '../store'

/** A text as it is searched in: without case and accents. */
export function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim()
}

/** Characters before what was found, and all that is shown. */
const BEFORE = 24
const SHOWN = 90

interface Text {
  length: number
  lines: readonly string[]
}

/** Read once, and again when a session has grown. */
const texts = new Map<SessionId, Text>()

/** What people and models said: for each session that holds the wanted words, the place. More come as they are read. */
export function useTextSearch(wanted: string): ReadonlyMap<SessionId, string> {
  const store = useStore()
  const settled = useSettledSessions()
  const [found, setFound] = useState({ wanted, places: NONE })
  useEffect(() => {
    if (wanted === '') return undefined
    let isCurrent = true
    const search = async (): Promise<void> => {
      const places = new Map<SessionId, string>()
      for (const session of settled) {
        const place = placeIn(await linesOf(store, session), wanted)
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

const NONE: ReadonlyMap<SessionId, string> = new Map()

async function linesOf(store: SessionStore, { header: { id }, length }: StoredSession): Promise<readonly string[]> {
  const known = texts.get(id)
  if (known?.length === length) return known.lines
  try {
    const { events } = await store.inspect(id)
    const lines = foldTranscript(events).flatMap(({ blocks }) => textOf(blocks).split('\n'))
    texts.set(id, { length, lines })
    return lines
  } catch {
    // Who opens it is told why it cannot be read.
    return []
  }
}

function placeIn(lines: readonly string[], wanted: string): string | undefined {
  const line = lines.find((line) => fold(line).includes(wanted))
  if (line === undefined) return undefined
  const at = Math.max(0, fold(line).indexOf(wanted) - BEFORE)
  return `${at > 0 ? '…' : ''}${line.slice(at, at + SHOWN)}${line.length > at + SHOWN ? '…' : ''}`
}
