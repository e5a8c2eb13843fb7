import { useHandOverFocus } from '../useHandOverFocus'
import type { ListedSession } from './names'
import { sessionHref } from './route'
import { SessionName } from './SessionName'

interface SessionRowProps {
  session: ListedSession
  /** The session it was forked from, if that is still stored. */
  parent: ListedSession | undefined
  isOpen: boolean
  onChoose: () => void
  onDelete: () => void
}

const when = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' })

export function SessionRow({ session, parent, isOpen, onChoose, onDelete }: SessionRowProps) {
  const { header, name, length, own, lastTime, openTurn, writer } = session
  const ref = useHandOverFocus<HTMLLIElement>(neighbour)
  return (
    <li ref={ref} className="session-row">
      <a href={sessionHref(header.id)} aria-current={isOpen ? 'page' : undefined} onClick={onChoose}>
        <SessionName name={name} />
        {header.parentSession !== undefined && (
          <span className="lineage">
            Fork of {parent?.name ?? 'a deleted session'}
            {own === 0 && ' · its next question names it'}
          </span>
        )}
        <span className="muted">
          {openTurn && writer === 'here' ? 'answering…' : formatTime(lastTime)} · {length} events
        </span>
      </a>
      <button type="button" className="quiet" aria-label={`Delete ${name}`} onClick={onDelete}>
        <span aria-hidden="true">×</span>
      </button>
    </li>
  )
}

/** A log's times are integers of any size; a `Date` holds 100 million days to either side of 1970. */
function formatTime(time: number): string {
  return Math.abs(time) <= 8.64e15 ? when.format(time) : 'no date'
}

/** The link of the row below, or above; else “New chat”, the first in the list. */
function neighbour(row: HTMLElement): HTMLElement | null | undefined {
  const near = row.nextElementSibling ?? row.previousElementSibling ?? row.closest('nav')
  return near?.querySelector('a')
}
