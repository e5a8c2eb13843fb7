import { useSyncExternalStore } from 'react'
import type { Session, SessionStore } from 'idb-sessions'
import { useObservable, type Observable } from '../observable'
import { exportFile } from '../sessions/exportFile'
import { sessionHref } from '../sessions/route'
import { displayTitle, type StoredList } from '../sessions/stored'
import { titleOf } from './transcript'

interface ChatHeaderProps {
  store: SessionStore
  stored: Observable<StoredList>
  session: Session
}

export function ChatHeader({ store, stored, session }: ChatHeaderProps) {
  const { parentSession, seedLength } = session.header
  const parent = useObservable(stored)?.find(({ header }) => header.id === parentSession)
  return (
    <header className="chat-header">
      <div className="chat-title">
        <h1>{titleOf(session.events)}</h1>
        {parentSession !== undefined && (
          <p className="muted">
            Fork of {parent ? <a href={sessionHref(parentSession)}>{displayTitle(parent)}</a> : 'a deleted session'}
            {` · ${seedLength} events shared`}
          </p>
        )}
      </div>
      <StoredSign session={session} />
      <button type="button" onClick={() => void exportFile(store, session.id)}>
        Export
      </button>
    </header>
  )
}

/** How much of the log is stored; the rest is only in this page. */
function StoredSign({ session }: { session: Session }) {
  const durable = useSyncExternalStore(session.subscribe, () => session.durable)
  const seq = useSyncExternalStore(session.subscribe, () => session.seq)
  return (
    <p className="stored-sign" data-all={durable === seq} title={`${durable} of ${seq} events are stored`}>
      {durable} / {seq} stored
    </p>
  )
}
