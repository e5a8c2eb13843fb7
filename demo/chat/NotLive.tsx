import { lastForkPoint, type Session, type SessionState, type SessionStore } from 'idb-sessions'
import { report } from '../notices/notices'
import { go } from '../sessions/route'
import { useStore } from '../store'
import { ActionButton } from '../ui/ActionButton'
import { composerInput, useHandOverFocus } from '../ui/focus'
import { draftOf, setDraft } from './drafts'

interface NotLiveProps {
  session: Session
  onReopen: () => Promise<void>
}

/** A session that cannot be written here any more: what became of it, and how to lose nothing of it. */
export function NotLive({ session, onReopen }: NotLiveProps) {
  const store = useStore()
  const ref = useHandOverFocus<HTMLDivElement>(composerInput)
  const isDeleted = session.state === 'deleted'
  const unstored = session.seq - session.durable
  return (
    <div ref={ref} className="notice" role="alert">
      <p>
        {WHAT_HAPPENED[session.state]} {unstored > 0 && !isDeleted && sayUnstored(unstored)}
      </p>
      {!isDeleted && <ActionButton action={onReopen}>Go on here</ActionButton>}
      {(isDeleted || unstored > 0) && (
        <ActionButton action={() => keep(store, session)}>Keep as a new session</ActionButton>
      )}
    </div>
  )
}

const WHAT_HAPPENED: Partial<Record<SessionState, string>> = {
  conflict: 'Another tab has gone on with this session.',
  deleted:
    'This session was deleted in another tab, and is only shown here. ' +
    '“Keep as a new session” stores its finished answers again.',
  released: 'This session is not open here any more.',
}

function sayUnstored(count: number): string {
  const what = count === 1 ? '1 event' : `${count} events`
  return (
    `${what} of what is shown here could not be stored: “Go on here” drops that, “Keep as a new session” ` +
    'stores all finished answers that are shown. A message that was not sent stays in the box below.'
  )
}

/** A copy, not a fork: the parent's log has gone another way, or is gone. What is typed goes along. */
async function keep(store: SessionStore, { id, events }: Session): Promise<void> {
  const end = lastForkPoint(events)
  const seed = end === undefined ? [] : events.slice(0, end + 1)
  try {
    const copy = await store.create(undefined, { seed, meta: { parentSession: id, seedLength: seed.length } })
    setDraft(copy.id, draftOf(id))
    setDraft(id, '')
    go(copy.id)
  } catch (error) {
    report('The session was not kept', error)
  }
}
