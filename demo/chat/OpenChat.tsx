import { useCallback, useEffect, useState } from 'react'
import type { Session, SessionId, SessionStore } from 'idb-sessions'
import { Boundary } from '../notices/Boundary'
import { report } from '../notices/notices'
import type { StoredSessions } from '../sessions/stored'
import { CannotOpenSession } from './CannotOpenSession'
import { Chat } from './Chat'

/** React has told the console more. */
const MISSHAPEN = 'Some of its events are not shaped as this page expects; it can still be exported'

type Opened = { session: Session } | { error: unknown }

interface OpenChatProps {
  store: SessionStore
  stored: StoredSessions
  id: SessionId
}

/**
 * Loads a session and shows it. It stays live when another one is chosen, so that its turn goes on; loading it again
 * gives the same object.
 */
export function OpenChat({ store, stored, id }: OpenChatProps) {
  const [opened, setOpened] = useState<Opened>()
  const load = useCallback(() => tryLoad(store, stored, id).then(setOpened), [store, stored, id])
  useEffect(() => void load(), [load])
  // What is on the screen may not be stored, so it stays there when this fails.
  const reopen = async (): Promise<void> => {
    const again = await tryLoad(store, stored, id)
    if ('error' in again) report('The session was not opened again', again.error)
    else setOpened(again)
  }

  if (opened === undefined) return <p className="opening">Opening the session…</p>
  const cannotOpen = (error: unknown) => <CannotOpenSession store={store} id={id} error={error} onRetry={load} />
  if ('error' in opened) return cannotOpen(opened.error)
  return (
    <Boundary fallback={cannotOpen(new Error(MISSHAPEN))}>
      <Chat store={store} stored={stored} session={opened.session} onReopen={reopen} />
    </Boundary>
  )
}

async function tryLoad(store: SessionStore, stored: StoredSessions, id: SessionId): Promise<Opened> {
  try {
    return { session: await store.load(id) }
  } catch (error) {
    void stored.refresh()
    return { error }
  }
}
