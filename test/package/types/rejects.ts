/** What must not compile against the packed package's types: each line fails as an error that was expected and is not there. */
import { openSessions, SessionForkError, type Session, type SessionEvent, type SessionStore } from 'idb-sessions'
import { forkPointFor } from 'idb-sessions/log'

export async function rejects(sessions: SessionStore, session: Session, event: SessionEvent): Promise<void> {
  // @ts-expect-error no such rules
  await openSessions({ rules: 'strict' })
  // @ts-expect-error an address is no worker
  await openSessions({ worker: '/worker.js' })
  // @ts-expect-error nor is a promise of one
  await openSessions({ worker: async () => new Worker('/worker.js') })
  // @ts-expect-error no such option
  await openSessions({ database: 'mine' })
  // @ts-expect-error a store is a promise until it is open
  openSessions().create()
  // @ts-expect-error so is a session
  sessions.create().append('turn/start', { turn: 1 })
  // @ts-expect-error a boundary is a seq, not an event
  await sessions.fork(session, event)
  // @ts-expect-error a log is not a source
  await sessions.fork(session.events)
  // @ts-expect-error the id of a session is a string
  await sessions.load(1)
  // @ts-expect-error metadata has no such field
  await sessions.create('a', { meta: { title: 'A' } })
  // @ts-expect-error only a live session is flushed
  await sessions.flush(session.id)
  // @ts-expect-error no such event of a store
  sessions.on('session/closed', () => {})
  // @ts-expect-error the listener of an event takes what the event gives
  sessions.on('session/event', (of: Session, at: number) => void [of, at])
  // @ts-expect-error a header is read-only
  session.header.cwd = '/'
  // @ts-expect-error so is an event
  event.seq = 1
  // @ts-expect-error so is the list of messages
  session.messages.push(session.messages[0]!)
  // @ts-expect-error and how far it is stored
  session.durable = 1
  // @ts-expect-error an unknown type has to be declared
  session.append('rejects/unknown', {})
  // @ts-expect-error the data belongs to the type
  session.append('turn/start', { step: 1 })
  // @ts-expect-error a message needs its surface intent
  session.append('user/message', { id: 'a', role: 'user', content: [], source: { kind: 'user' } })
  // @ts-expect-error no such code
  if (new SessionForkError('OPEN_TURN', '').code === 'CLOSED') return
  // @ts-expect-error there may be no such place
  const seq: number = forkPointFor(session.events, 1)
  void seq
}
