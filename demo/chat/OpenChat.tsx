import { useCallback, useEffect, useState } from 'react'
import type { Session, SessionId, SessionStore } from 'idb-sessions'
import { report } from '../notices/notices'
import { useStore } from '../store'
import { Boundary } from '../ui/Boundary'
import { CannotOpenSession } from './CannotOpenSession'
import { Chat } from './Chat'

/** React has told the console more. */
const MISSHAPEN = 'Some of its events are not shaped as this page expects; it can still be exported'

type Opened = { session: Session } | { error: unknown }

/**
 * Loads a session and shows it. It stays live when another one is chosen, so that its turn goes on; loading it again
 * gives the same object.
 */
export function OpenChat({ id }: { id: SessionId }) {
  const store = useStore()
  // One that is live is shown at once, without an empty page in between.
  const [opened, setOpened] = useState<Opened | undefined>(() => wrap(store.get(id)))
  const load = useCallback(() => tryLoad(store, id).then(setOpened), [store, id])
  useEffect(() => void (store.get(id) === undefined && void load()), [store, id, load])
  // What is on the screen may not be stored, so it stays there when this fails.
  const reopen = async (): Promise<void> => {
    const again = await tryLoad(store, id)
    if ('error' in again) report('The session was not opened again', again.error)
    else setOpened(again)
  }

  if (opened === undefined) return <p className="opening">Opening the session…</p>
  const cannotOpen = (error: unknown) => <CannotOpenSession id={id} error={error} onRetry={load} />
  if ('error' in opened) return cannotOpen(opened.error)
  return (
    <Boundary fallback={cannotOpen(new Error(MISSHAPEN))}>
      <Chat session={opened.session} onReopen={reopen} />
    </Boundary>
  )
}

function wrap(session: Session | undefined): Opened | undefined {
  return session && { session }
}

async function tryLoad(store: SessionStore, id: SessionId): Promise<Opened> {
  try {
    // Whoever opens a session goes on with it: another tab stores what it has and lets go.
    return { session: await store.load(id, { takeOver: true }) }
  } catch (error) {
    return { error }
  }
}
