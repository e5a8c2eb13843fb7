import { useSyncExternalStore } from 'react'
import type { Session, SessionStore } from 'idb-sessions'
import { ActionButton } from '../ActionButton'
import { useObservable } from '../observable'
import { exportFile } from '../sessions/exportFile'
import { sessionHref } from '../sessions/route'
import { SessionName } from '../sessions/SessionName'
import type { StoredSessions } from '../sessions/stored'
import { titleOf } from './transcript'

interface ChatHeaderProps {
  store: SessionStore
  stored: StoredSessions
  session: Session
}

export function ChatHeader({ store, stored, session }: ChatHeaderProps) {
  const { parentSession, seedLength } = session.header
  const state = useSyncExternalStore(session.subscribe, () => session.state)
  const list = useObservable(stored)
  const parent = list?.find(({ header }) => header.id === parentSession)
  const listed = list?.find(({ header }) => header.id === session.id)
  return (
    <header className="chat-header">
      <div className="chat-title">
        <h1>
          <SessionName name={listed?.name ?? titleOf(session.events)} />
        </h1>
        {parentSession !== undefined && (
          <p className="muted">
            Fork of {parent ? <a href={sessionHref(parentSession)}>{parent.name}</a> : 'a deleted session'}
            {` · ${seedLength} events shared`}
          </p>
        )}
      </div>
      <StoredSign session={session} />
      {state === 'live' && <ActionButton action={() => exportFile(store, session.id)}>Export</ActionButton>}
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
