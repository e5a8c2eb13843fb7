import {
  lastForkPoint,
  Session,
  type SessionId,
  type SessionState,
  type SessionStore,
  type SessionView,
} from 'idb-sessions'
import { report } from '../notices/notices'
import { go } from '../sessions/route'
import { decided } from '../sessions/shown'
import { nameFork } from '../sessions/titles'
import { useStore } from '../store'
import { ActionButton } from '../ui/ActionButton'
import { composerInput, useHandOverFocus } from '../ui/focus'
import { textOf } from './ask'
import { draftOf, giveBack, setDraft } from './drafts'

interface NotLiveProps {
  view: SessionView
  onTakeOver: () => Promise<void>
  onFollow: () => Promise<void>
}

/** A session that cannot be written here any more: what became of it, and how to lose nothing of it. */
export function NotLive({ view, onTakeOver, onFollow }: NotLiveProps) {
  const store = useStore()
  const ref = useHandOverFocus<HTMLDivElement>(composerInput)
  const isDeleted = view.state === 'deleted'
  const unstored = isDeleted ? 0 : view.seq - view.durable
  const drop = (): Promise<void> => {
    giveBackPrompts(view)
    return onFollow()
  }
  return (
    <div ref={ref} className="notice" role="alert">
      <p>
        {WHAT_HAPPENED[view.state]} {unstored > 0 && sayUnstored(unstored)}
      </p>
      {isDeleted && <ActionButton action={() => keepCopy(store, view)}>Keep as a new session</ActionButton>}
      {unstored > 0 && view instanceof Session && (
        <>
          <ActionButton className="primary" action={() => keepFork(store, view)}>
            Keep it as a fork
          </ActionButton>
          <ActionButton action={drop}>Drop it</ActionButton>
        </>
      )}
      {!isDeleted && unstored === 0 && <ActionButton action={onTakeOver}>Go on here</ActionButton>}
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
    `${what} of what is shown here could not be stored there: “Keep it as a fork” stores them in a session of their ` +
    'own, beside the other tab’s. “Drop it” shows what the other tab has made of this one.'
  )
}

/** What both tabs have in common is shared. */
async function keepFork(store: SessionStore, session: Session): Promise<void> {
  try {
    const fork = await session.saveAsFork()
    // Opened anew, an answer that was cut off is closed as interrupted.
    await store.release(fork)
    decided(session.id)
    await openInstead(store, session.id, fork.id)
  } catch (error) {
    report('The unsaved part was not kept', error)
  }
}

/** A copy, not a fork: there is nothing left to share. */
async function keepCopy(store: SessionStore, { id, events }: SessionView): Promise<void> {
  const end = lastForkPoint(events)
  const seed = end === undefined ? [] : events.slice(0, end + 1)
  try {
    const copy = await store.create(undefined, { seed, meta: { parentSession: id, seedLength: seed.length } })
    await openInstead(store, id, copy.id)
  } catch (error) {
    report('The session was not kept', error)
  }
}

/** What is typed goes along. */
async function openInstead(store: SessionStore, id: SessionId, kept: SessionId): Promise<void> {
  await nameFork(store, kept, id)
  setDraft(kept, draftOf(id))
  setDraft(id, '')
  go(kept)
}

/** Prompts that nobody will have answered go back to the composer. */
function giveBackPrompts(view: SessionView): void {
  for (const event of view.slice(view.durable)) {
    if (event.type === 'user/message') giveBack(view.id, textOf(event.data.content))
  }
}
