import { useState } from 'react'
import type { SessionId, SessionStore } from 'idb-sessions'
import { useObservable } from '../observable'
import { DeleteDialog } from './DeleteDialog'
import { ImportButton } from './ImportButton'
import type { ListedSession } from './names'
import { NEW_CHAT } from './route'
import { SessionRow } from './SessionRow'
import type { StoredSessions } from './stored'

interface SessionListProps {
  store: SessionStore
  stored: StoredSessions
  openId: SessionId | undefined
  onChoose: () => void
}

/** What is stored, newest first. */
export function SessionList({ store, stored, openId, onChoose }: SessionListProps) {
  const sessions = useObservable(stored)
  const [doomed, setDoomed] = useState<ListedSession>()
  return (
    <nav className="sidebar" aria-label="Sessions">
      <p className="brand">
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="20" height="20" /> idb-sessions
      </p>
      <div className="actions">
        <a className="button primary" href={NEW_CHAT} onClick={onChoose}>
          New chat
        </a>
        <ImportButton store={store} />
      </div>
      {sessions?.length === 0 && <p className="muted">No sessions yet. The first message makes one.</p>}
      <ul className="sessions">
        {sessions?.map((session) => (
          <SessionRow
            key={session.header.id}
            session={session}
            parent={sessions.find(({ header }) => header.id === session.header.parentSession)}
            isOpen={session.header.id === openId}
            onChoose={onChoose}
            onDelete={() => setDoomed(session)}
          />
        ))}
      </ul>
      {doomed && (
        <DeleteDialog
          store={store}
          stored={stored}
          session={doomed}
          isOpen={doomed.header.id === openId}
          onClose={() => setDoomed(undefined)}
        />
      )}
    </nav>
  )
}
