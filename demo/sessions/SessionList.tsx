import { useDeferredValue, useMemo, useState } from 'react'
import type { SessionId, StoredSession } from 'idb-sessions'
import { Import } from '../importing/Import'
import { StorageMeter } from '../storage/StorageMeter'
import { useSessions } from '../store'
import { DeleteDialog } from './DeleteDialog'
import { NEW_CHAT } from './route'
import { fold, useTextSearch } from './search'
import { SessionRow } from './SessionRow'
import { titleOf } from './titles'
import { treeOf, type TreeRow } from './tree'

interface SessionListProps {
  openId: SessionId | undefined
  onChoose: () => void
}

const ORDERS = ['Tree', 'Recent'] as const

/** What is stored: as a tree of forks, or newest first. */
export function SessionList({ openId, onChoose }: SessionListProps) {
  const sessions = useSessions()
  const [order, setOrder] = useState<(typeof ORDERS)[number]>('Tree')
  const [search, setSearch] = useState('')
  const wanted = useDeferredValue(fold(search))
  const places = useTextSearch(wanted)
  const [doomed, setDoomed] = useState<StoredSession>()
  const titles = useMemo(() => new Map(sessions.map((row) => [row.header.id, titleOf(row)])), [sessions])
  const rows = useMemo((): TreeRow[] => {
    // What is found stands without its family.
    const found = sessions.filter((session) => places.has(session.header.id) || fold(titleOf(session)).includes(wanted))
    return order === 'Tree' && wanted === '' ? treeOf(found) : found.map((session) => ({ session, depth: 0 }))
  }, [sessions, order, wanted, places])

  return (
    <nav className="sidebar" aria-label="Sessions">
      <p className="brand">
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="20" height="20" /> idb-sessions
      </p>
      <div className="actions">
        <a className="button primary" href={NEW_CHAT} onClick={onChoose}>
          New chat
        </a>
        <Import onOpen={onChoose} />
      </div>
      {sessions.length > 0 && (
        <div className="list-tools">
          <input
            type="search"
            aria-label="Search in titles and texts"
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <div className="orders" role="group" aria-label="Order">
            {ORDERS.map((name) => (
              <button key={name} type="button" aria-pressed={order === name} onClick={() => setOrder(name)}>
                {name}
              </button>
            ))}
          </div>
        </div>
      )}
      {sessions.length === 0 && <p className="muted">No sessions yet. The first message makes one.</p>}
      {sessions.length > 0 && rows.length === 0 && <p className="muted">No title and no text holds “{search}”.</p>}
      <ul className="sessions">
        {rows.map(({ session, depth }) => {
          const { id, parentSession } = session.header
          return (
            <SessionRow
              key={id}
              session={session}
              depth={depth}
              parentTitle={parentSession === undefined ? undefined : (titles.get(parentSession) ?? 'a deleted session')}
              found={wanted === '' ? undefined : places.get(id)}
              isOpen={id === openId}
              onChoose={onChoose}
              onDelete={setDoomed}
            />
          )
        })}
      </ul>
      <StorageMeter />
      {doomed && (
        <DeleteDialog session={doomed} isOpen={doomed.header.id === openId} onClose={() => setDoomed(undefined)} />
      )}
    </nav>
  )
}
