import { useMemo, useSyncExternalStore } from 'react'
import type { Session, SessionStore } from 'idb-sessions'
import { report } from '../notices/notices'
import type { Observable } from '../observable'
import { go } from '../sessions/route'
import type { StoredList } from '../sessions/stored'
import { ask, stop } from './ask'
import { ChatHeader } from './ChatHeader'
import { Composer } from './Composer'
import { Transcript } from './Transcript'
import { foldTranscript } from './transcript'

interface ChatProps {
  store: SessionStore
  stored: Observable<StoredList>
  session: Session
  onReopen: () => void
}

/** A session that is live here: its transcript, which grows with the log, and the composer. */
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
    }
  }

  return (
    <section className="chat" aria-label="Session">
      <ChatHeader store={store} stored={stored} session={session} />
      <Transcript entries={entries} running={running} onFork={(boundary) => void fork(boundary)} />
      {state === 'live' ? (
        <Composer
          running={running}
          onSend={(prompt) => {
            void ask(store, session, prompt)
            return true
          }}
          onStop={() => stop(session)}
        />
      ) : (
        <div className="notice" role="alert">
          <p>
            {state === 'deleted'
              ? 'This session was deleted.'
              : 'Another tab has taken this session over. What was not stored before is only shown here.'}
          </p>
          {state === 'conflict' && (
            <button type="button" onClick={onReopen}>
              Go on here
            </button>
          )}
        </div>
      )}
    </section>
  )
}
