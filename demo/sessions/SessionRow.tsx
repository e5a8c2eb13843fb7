import { memo, useState, type CSSProperties } from 'react'
import type { StoredSession } from 'idb-sessions'
import { forkAtEnd } from '../branches/actions'
import { useStore } from '../store'
import { useHandOverFocus } from '../ui/focus'
import { Menu } from '../ui/Menu'
import { exportFile } from './exportFile'
import { RenameForm } from './RenameForm'
import { sessionHref } from './route'
import type { Found } from './search'
import { SessionName } from './SessionName'
import { titleOf } from './titles'

interface SessionRowProps {
  session: StoredSession
  depth: number
  /** Of a fork. */
  parentTitle: string | undefined
  /** Where the words that are searched for stand in its text. */
  found: Found | undefined
  isOpen: boolean
  onChoose: () => void
  onDelete: (session: StoredSession) => void
}

const onDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const atTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
/** Forks of forks of forks: the names need room too. */
const MAX_INDENT = 6

export const SessionRow = memo(function SessionRow(props: SessionRowProps) {
  const { session, depth, parentTitle, found, isOpen, onChoose, onDelete } = props
  const store = useStore()
  const [renaming, setRenaming] = useState(false)
  const row = useHandOverFocus<HTMLLIElement>(neighbour)
  const { header, length, lastTime, openTurn, writer } = session
  const { id } = header
  const title = titleOf(session)
  return (
    <li
      ref={row}
      className="session-row"
      aria-level={depth + 1}
      style={{ '--indent': Math.min(depth, MAX_INDENT) } as CSSProperties}
    >
      {renaming ? (
        <RenameForm id={id} title={title} onDone={() => setRenaming(false)} />
      ) : (
        <a
          href={sessionHref(id, 'chat', found && { place: found.place })}
          aria-current={isOpen ? 'page' : undefined}
          onClick={onChoose}
        >
          <SessionName name={title} />
          {parentTitle !== undefined && (
            <span className={depth > 0 ? 'visually-hidden' : 'lineage'}>Fork of {parentTitle}</span>
          )}
          {found && <span className="found">{found.text}</span>}
          <span className="muted">
            {openTurn && writer !== 'none' ? 'answering…' : formatTime(lastTime)} ·{' '}
            {writer === 'elsewhere' ? 'in another tab' : `${length} events`}
          </span>
        </a>
      )}
      <Menu
        label={`Actions for ${title}`}
        className="rename"
        items={[
          { name: 'Rename', action: () => setRenaming(true) },
          { name: 'Fork', action: () => void forkAtEnd(store, id).then(onChoose) },
          { name: 'Export', action: () => void exportFile(store, id) },
          { name: 'Delete', action: () => onDelete(session) },
        ]}
      />
    </li>
  )
})

/** A log's times are integers of any size; a `Date` holds 100 million days to either side of 1970. */
function formatTime(time: number): string {
  if (Math.abs(time) > 8.64e15) return 'no date'
  const isToday = new Date(time).toDateString() === new Date().toDateString()
  return isToday ? atTime.format(time) : onDay.format(time)
}

/** The link of the row below, or above; else “New chat”, the first in the list. */
function neighbour(row: HTMLElement): HTMLElement | null | undefined {
  const near = row.nextElementSibling ?? row.previousElementSibling ?? row.closest('nav')
  return near?.querySelector('a')
}
