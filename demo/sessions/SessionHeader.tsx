import { useEffect, useState, useSyncExternalStore } from 'react'
import type { SessionView } from 'idb-sessions'
import { useSessions, useStore } from '../store'
import { ActionButton } from '../ui/ActionButton'
import { exportFile } from './exportFile'
import { RenameForm } from './RenameForm'
import { sessionHref, type View } from './route'
import { SessionName } from './SessionName'
import { titleOf } from './titles'
import { Views } from './Views'

interface SessionHeaderProps {
  view: SessionView
  current: View
}

export function SessionHeader({ view, current }: SessionHeaderProps) {
  const store = useStore()
  const sessions = useSessions()
  const state = useSyncExternalStore(view.subscribe, () => view.state)
  const [renaming, setRenaming] = useState(false)
  const { id, parentSession, seedLength } = view.header
  const stored = sessions.find(({ header }) => header.id === id)
  const [last, setLast] = useState(stored)
  if (stored !== undefined && stored !== last) setLast(stored)
  // One that was deleted elsewhere is still called what it was.
  const title = titleOf(stored ?? last)
  useTabTitle(title)
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
      <Views id={id} current={current} />
      <StoredSign view={view} />
      {(state === 'live' || state === 'following') && (
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
function StoredSign({ view }: { view: SessionView }) {
  const durable = useSyncExternalStore(view.subscribe, () => view.durable)
  const seq = useSyncExternalStore(view.subscribe, () => view.seq)
  return (
    <p className="stored-sign" data-all={durable === seq} title={`${durable} of ${seq} events are stored`}>
      {durable} / {seq} stored
    </p>
  )
}

/** Tells tabs, and the places that the back button leads to, from each other. */
function useTabTitle(title: string): void {
  useEffect(() => {
    const before = document.title
    document.title = `${title} · ${before}`
    return () => void (document.title = before)
  }, [title])
}
