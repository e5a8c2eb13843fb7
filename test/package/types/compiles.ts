/** What an application writes against the packed package's types, under the strictest settings. */
import {
  openSessions,
  SessionForkError,
  SessionStoreError,
  type ForkPoint,
  type Message,
  type OpenSessionsOptions,
  type Session,
  type SessionEvent,
  type SessionForkErrorCode,
  type SessionHeader,
  type SessionId,
  type SessionStore,
  type SessionStoreErrorCode,
  type SessionView,
  type StoredSession,
} from 'idb-sessions'
import {
  branchPointFor,
  deriveEventMessage,
  foldSurface,
  forkPointFor,
  isJsonValue,
  lastForkPoint,
} from 'idb-sessions/log'
import 'idb-sessions/worker'

declare module 'idb-sessions' {
  interface SessionEventMap {
    'application/rated': { stars: 1 | 2 | 3 | 4 | 5; comment?: string }
  }
  interface TurnEndReasonMap {
    'application/bored': { kind: 'application/bored'; after: number }
  }
}

export async function opens(): Promise<SessionStore> {
  const options: OpenSessionsOptions = { name: 'a', rules: 'harness', eventTypes: ['application/rated'] as const }
  await openSessions()
  await openSessions({ worker: new Worker('/worker.js', { type: 'module' }) })
  await openSessions({ worker: () => new Worker(new URL('/worker.js', location.href), { type: 'module' }) })
  return openSessions(options)
}

export async function uses(sessions: SessionStore, id: string): Promise<void> {
  const session: Session = await sessions.create()
  const view: SessionView = session
  const event: SessionEvent<'application/rated'> = session.append('application/rated', { stars: 5 })
  const stars: 1 | 2 | 3 | 4 | 5 = event.data.stars
  session.append('turn/end', { turn: 1, reason: { kind: 'application/bored', after: stars } })
  const header: SessionHeader = view.header
  const messages: readonly Message[] = view.messages
  await sessions.create('b', {
    seed: session.events,
    meta: { cwd: '/', ...(header.parentSession && { parentSession: id }) },
  })
  await sessions.fork(session, lastForkPoint(session.events))
  await sessions.fork(id, forkPointFor(session.events, event.seq) ?? branchPointFor(session.events, event.seq), 'c')
  const points: readonly ForkPoint[] = await sessions.forkPoints(id)
  const stored: StoredSession[] = await sessions.stored()
  const nodes: readonly number[] = foldSurface(session.events).nodes
  const flushed: boolean = await sessions.flush(session)
  const deleted: SessionId[] = (await sessions.delete([session.id])).flatMap(({ id, outcome }) =>
    outcome === 'deleted' ? [id] : [],
  )
  const { session: imported, dropped } = await sessions.importLog(new Blob([]), { id })
  const line: number | undefined = dropped?.line
  const stream: ReadableStream<Uint8Array> = await sessions.exportLog(imported.header.id)
  const off: () => void = sessions.on('session/event', (of, { type, data }) => void [of.id, type, data])
  void [
    deleted,
    messages,
    points,
    stored,
    nodes,
    flushed,
    line,
    stream,
    off,
    isJsonValue(1),
    session.events.map(deriveEventMessage),
  ]
}

export function catches(error: unknown): SessionForkErrorCode | SessionStoreErrorCode | undefined {
  if (error instanceof SessionForkError) return error.before === undefined ? 'OPEN_TURN' : error.code
  if (error instanceof SessionStoreError) return error.code === 'WORKER_FAILED' ? undefined : error.code
  return undefined
}

/** A union that is told apart by its type, also where the application's own types belong to it. */
export function narrows(event: SessionEvent): number | undefined {
  switch (event.type) {
    case 'application/rated':
      return event.data.stars
    case 'turn/end':
      return event.data.reason.kind === 'application/bored' ? event.data.reason.after : event.data.turn
    default:
      return undefined
  }
}
