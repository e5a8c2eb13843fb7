import { useState, useSyncExternalStore } from 'react'
import type { Session } from 'idb-sessions'
import { exportFile } from '../sessions/exportFile'
import { RenameForm } from '../sessions/RenameForm'
import { sessionHref } from '../sessions/route'
import { SessionName } from '../sessions/SessionName'
import { titleOf } from '../sessions/titles'
import { useSessions, useStore } from '../store'
import { ActionButton } from '../ui/ActionButton'

export function ChatHeader({ session }: { session: Session }) {
  const store = useStore()
  const sessions = useSessions()
  const state = useSyncExternalStore(session.subscribe, () => session.state)
  const [renaming, setRenaming] = useState(false)
  const { id, parentSession, seedLength } = session.header
  const title = titleOf(sessions.find(({ header }) => header.id === id))
  const parent = sessions.find(({ header }) => header.id === parentSession)
  return (
    <header className="chat-header">
      <div className="chat-title">
        {renaming ? (
          <RenameForm id={id} title={title} onDone={() => setRenaming(false)} />
        ) : (
          <h1>
            <SessionName name={title} />
          </h1>
        )}
        {parentSession !== undefined && !renaming && (
          <p className="muted">
            Fork of {parent ? <a href={sessionHref(parentSession)}>{titleOf(parent)}</a> : 'a deleted session'}
            {seedLength === 0 ? ' · begins anew' : ` · ${seedLength} events shared`}
          </p>
        )}
      </div>
      <StoredSign session={session} />
      {state === 'live' && (
        <>
          <button type="button" className="rename" aria-expanded={renaming} onClick={() => setRenaming(!renaming)}>
            Rename
          </button>
          <ActionButton action={() => exportFile(store, id)}>Export</ActionButton>
        </>
      )}
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
