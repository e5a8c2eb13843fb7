import { useMemo, useSyncExternalStore } from 'react'
import type { Session, SessionStore } from 'idb-sessions'
import { report } from '../notices/notices'
import { go } from '../sessions/route'
import type { StoredSessions } from '../sessions/stored'
import { ask, stop } from './ask'
import { ChatHeader } from './ChatHeader'
import { Composer } from './Composer'
import { NotLive } from './NotLive'
import { Transcript } from './Transcript'
import { foldTranscript } from './transcript'

const WAIT = 'Wait until the answer is finished, or stop it.'
const CHOOSE = 'Choose above how to go on.'

interface ChatProps {
  store: SessionStore
  stored: StoredSessions
  session: Session
  onReopen: () => Promise<void>
}

/** A session that is, or was, live here: its transcript, which grows with the log, and the composer. */
export function Chat({ store, stored, session, onReopen }: ChatProps) {
  const events = useSyncExternalStore(session.subscribe, () => session.events)
  const state = useSyncExternalStore(session.subscribe, () => session.state)
  const running = state === 'live' && session.turn.open !== undefined
  const entries = useMemo(() => foldTranscript(events), [events])

  const fork = async (boundary: number): Promise<void> => {
    try {
      const child = await store.fork(session, boundary)
      go(child.id)
    } catch (error) {
      report('The session was not forked', error)
      void stored.refresh()
    }
  }

  return (
    <section className="chat" aria-label="Session">
      <ChatHeader store={store} stored={stored} session={session} />
      <Transcript entries={entries} running={running} onFork={state === 'live' ? fork : undefined} />
      {state !== 'live' && <NotLive store={store} session={session} onReopen={onReopen} />}
      <Composer
        sessionId={session.id}
        obstacle={state === 'live' ? (running ? WAIT : undefined) : CHOOSE}
        onSend={(prompt) => void ask(store, session, prompt)}
        onStop={running ? () => stop(session) : undefined}
      />
    </section>
  )
}
