import type { StoredSession } from 'idb-sessions'
import { sessionHref } from './route'
import { displayTitle } from './stored'

interface SessionRowProps {
  session: StoredSession
  /** The session it was forked from, if that is still stored. */
  parent: StoredSession | undefined
  isOpen: boolean
  onChoose: () => void
  onDelete: () => void
}

const when = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' })

export function SessionRow({ session, parent, isOpen, onChoose, onDelete }: SessionRowProps) {
  const { header, length, lastTime, openTurn, writer } = session
  const title = displayTitle(session)
  return (
    <li className="session-row">
      <a href={sessionHref(header.id)} aria-current={isOpen ? 'page' : undefined} onClick={onChoose}>
        <span className="session-title">{title}</span>
        {header.parentSession !== undefined && (
          <span className="lineage">Fork of {parent ? displayTitle(parent) : 'a deleted session'}</span>
        )}
        <span className="muted">
          {openTurn && writer === 'here' ? 'answering…' : when.format(lastTime)} · {length} events
        </span>
      </a>
      <button type="button" className="quiet" aria-label={`Delete ${title}`} onClick={onDelete}>
        <span aria-hidden="true">×</span>
      </button>
    </li>
  )
}
