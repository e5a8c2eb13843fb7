/** Opening a store, and what its calls take, give and refuse. */
import {
  openSessions,
  type CreateOptions,
  type DeleteOutcome,
  type ForkPoint,
  type ImportReport,
  type ImportSource,
  type OpenSessionsOptions,
  type Rules,
  type Session,
  type SessionEvent,
  type SessionHeader,
  type SessionId,
  type SessionMeta,
  type SessionStore,
  type StoredSession,
} from 'idb-sessions'
import 'idb-sessions/worker'
import { same } from './same.js'
import './declared.js'

export async function opens(): Promise<SessionStore> {
  same<OpenSessionsOptions['name'], string | undefined>()
  same<OpenSessionsOptions['worker'], Worker | (() => Worker) | undefined>()
  same<OpenSessionsOptions['rules'], Rules | undefined>()
  same<OpenSessionsOptions['eventTypes'], readonly string[] | undefined>()
  same<Rules, 'rfc' | 'harness'>()
  await openSessions()
  await openSessions({ worker: new Worker('/worker.js', { type: 'module' }) })
  await openSessions({ worker: () => new Worker(new URL('/worker.js', location.href), { type: 'module' }) })
  return openSessions({ name: 'a', rules: 'harness', eventTypes: ['application/rated'] as const })
}

export function gives(sessions: SessionStore): void {
  same<ReturnType<typeof sessions.create>, Promise<Session>>()
  same<ReturnType<typeof sessions.fork>, Promise<Session>>()
  same<ReturnType<typeof sessions.flush>, Promise<boolean>>()
  same<ReturnType<typeof sessions.get>, Session | undefined>()
  same<ReturnType<typeof sessions.list>, Session[]>()
  same<ReturnType<typeof sessions.on>, () => void>()
  same<ReturnType<typeof sessions.stored>, Promise<StoredSession[]>>()
  same<ReturnType<typeof sessions.load>, Promise<Session>>()
  same<ReturnType<typeof sessions.inspect>, Promise<{ header: SessionHeader; events: readonly SessionEvent[] }>>()
  same<ReturnType<typeof sessions.forkPoints>, Promise<readonly ForkPoint[]>>()
  same<ReturnType<typeof sessions.release>, Promise<void>>()
  same<ReturnType<typeof sessions.delete>, Promise<readonly DeleteOutcome[]>>()
  same<ReturnType<typeof sessions.exportLog>, Promise<ReadableStream<Uint8Array>>>()
  same<ReturnType<typeof sessions.importLog>, Promise<ImportReport>>()
  same<ReturnType<typeof sessions.close>, Promise<void>>()
}

export async function takes(sessions: SessionStore, session: Session, id: SessionId, seq?: number): Promise<void> {
  same<
    typeof sessions.fork,
    (source: Session | SessionId, boundary?: number, childId?: SessionId) => Promise<Session>
  >()
  same<Parameters<typeof sessions.delete>, [ids: SessionId | readonly SessionId[]]>()
  same<ImportSource, Blob | ReadableStream<Uint8Array> | string>()
  same<CreateOptions, { seed?: readonly SessionEvent[]; meta?: SessionMeta }>()
  const { header, events } = await sessions.inspect(id)
  await sessions.create('b', { seed: events, meta: header })
  await sessions.create(undefined, { meta: { cwd: '/' } })
  await sessions.fork(session)
  await sessions.fork(id, seq, 'c')
  await sessions.delete([session.id] as const)
  await sessions.importLog(await sessions.exportLog(id))
  await sessions.importLog(new Blob([]), { id })
  await new Response(await sessions.exportLog(id)).blob()
}

export async function rejects(sessions: SessionStore, session: Session, event: SessionEvent): Promise<void> {
  // @ts-expect-error no such rules
  await openSessions({ rules: 'strict' })
  // @ts-expect-error an address is no worker
  await openSessions({ worker: '/worker.js' })
  // @ts-expect-error nor is a promise of one
  await openSessions({ worker: async () => new Worker('/worker.js') })
  // @ts-expect-error a shared one has a port for each page
  await openSessions({ worker: new SharedWorker('/worker.js') })
  // @ts-expect-error types are named by strings
  await openSessions({ eventTypes: [{ type: 'application/rated' }] })
  // @ts-expect-error no such option
  await openSessions({ database: 'mine' })
  // @ts-expect-error a store is a promise until it is open
  openSessions().create()
  // @ts-expect-error so is a session
  sessions.create().append('turn/start', { turn: 1 })
  // @ts-expect-error a seed is a log, not a session
  await sessions.create('a', { seed: session })
  // @ts-expect-error a boundary is a seq, not an event
  await sessions.fork(session, event)
  // @ts-expect-error a log is not a source
  await sessions.fork(session.events)
  // @ts-expect-error the id of a session is a string
  await sessions.load(1)
  // @ts-expect-error a live session needs no loading
  await sessions.load(session)
  // @ts-expect-error only a live session is flushed
  await sessions.flush(session.id)
  // @ts-expect-error only a live session is released
  await sessions.release(session.id)
  // @ts-expect-error it may not be live here
  sessions.get('a').append('turn/start', { turn: 1 })
  // @ts-expect-error sessions are deleted by their ids
  await sessions.delete(session)
  // @ts-expect-error a file is not a list of events
  await sessions.importLog(session.events)
  // @ts-expect-error places to fork are the log's own
  ;(await sessions.forkPoints('a')).push({ seq: 0, turn: 1, reason: { kind: 'completed' }, time: 0 })
}
