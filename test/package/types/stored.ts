/** What the store tells about sessions that are stored, and of what happens: shapes, field by field. */
import type {
  DeleteOutcome,
  ForkPoint,
  ImportReport,
  Session,
  SessionEvent,
  SessionHeader,
  SessionId,
  SessionMeta,
  SessionStore,
  SessionStoreEvents,
  StoredChange,
  StoredSession,
  TurnEndReason,
} from 'idb-sessions'
import { same } from './same.js'

export function shapes(): void {
  same<SessionId, string>()
  same<
    StoredSession,
    {
      header: SessionHeader
      length: number
      own: number
      lastTime: number
      title?: string
      openTurn: boolean
      writer: 'here' | 'elsewhere' | 'none'
    }
  >()
  same<ForkPoint, { seq: number; turn: number; reason: TurnEndReason; time: number }>()
  same<ImportReport, { session: StoredSession; dropped?: { line: number; reason: string } }>()
  same<DeleteOutcome, { id: SessionId; outcome: 'deleted' | 'missing' | 'locked' }>()
  same<StoredChange, { id: SessionId; kind: 'created' | 'grown' | 'titled' | 'deleted'; length: number }>()
  same<
    SessionHeader,
    {
      readonly version: number
      readonly id: SessionId
      readonly createdAt: number
      readonly cwd?: string
      readonly parentSession?: SessionId
      readonly seedLength?: number
      readonly origin?: 'subagent'
      readonly delegationDepth?: number
      readonly agentPreset?: string
    }
  >()
}

/** A row of a list. A stored session without a title has none. */
export function row({ header, length, own, lastTime, title, openTurn, writer }: StoredSession): string {
  const name: string = title ?? header.id
  const inherited: number = length - own
  return `${name} ${inherited} ${new Date(lastTime).toISOString()} ${openTurn ? '…' : ''} ${writer === 'here'}`
}

export function places(points: readonly ForkPoint[]): string[] {
  return points.map(({ seq, turn, reason, time }) => `${seq} ${turn} ${reason.kind} ${time}`)
}

export function report({ session, dropped }: ImportReport): string {
  return dropped === undefined
    ? session.header.id
    : `${session.length}, not from line ${dropped.line}: ${dropped.reason}`
}

/** Every field of a header that `create` takes. */
export const meta: Required<SessionMeta> = {
  cwd: '/',
  parentSession: 'a',
  seedLength: 0,
  createdAt: 0,
  origin: 'subagent',
  delegationDepth: 1,
  agentPreset: 'coder',
}

type Parameters1<E extends keyof SessionStoreEvents> = Parameters<SessionStoreEvents[E]>

export function events(sessions: SessionStore): (() => void)[] {
  same<Parameters1<'session/created'>, [session: Session]>()
  same<Parameters1<'session/event'>, [session: Session, event: SessionEvent]>()
  same<Parameters1<'session/flush'>, [session: Session]>()
  same<ReturnType<SessionStoreEvents['session/flush']>, void | Promise<void>>()
  same<Parameters1<'session/disposed'>, [session: Session]>()
  same<Parameters1<'stored/changed'>, [change: StoredChange]>()
  return [
    sessions.on('session/created', (session) => void session.id),
    sessions.on('session/event', ({ id }, { type, data }) => void [id, type, data]),
    sessions.on('session/flush', async (session) => void session.durable),
    sessions.on('session/disposed', () => {}),
    sessions.on('stored/changed', ({ id, kind, length }) => void [id, kind === 'grown', length]),
  ]
}

export function rejects(sessions: SessionStore, session: StoredSession, point: ForkPoint, report: ImportReport): void {
  // @ts-expect-error there may be no title
  const title: string = session.title
  // @ts-expect-error a stored session is no live one
  const live: Session = session
  // @ts-expect-error its header is read-only
  session.header.id = 'b'
  // @ts-expect-error the id stands in the header
  void session.id
  // @ts-expect-error nobody else writes it
  if (session.writer === 'nobody') return
  // @ts-expect-error a reason is more than its kind
  if (point.reason === 'completed') return
  // @ts-expect-error nothing may have been dropped
  void report.dropped.line
  // @ts-expect-error metadata has no title
  const titled: SessionMeta = { title: 'A' }
  // @ts-expect-error nor an id, which is create's own argument
  const named: SessionMeta = { id: 'a' }
  // @ts-expect-error nor another origin
  const strange: SessionMeta = { origin: 'human' }
  // @ts-expect-error a time is a number
  const dated: SessionMeta = { createdAt: new Date() }
  // @ts-expect-error no such event of a store
  sessions.on('session/closed', () => {})
  // @ts-expect-error a listener takes what the event gives
  sessions.on('session/event', (of: Session, at: number) => void [of, at])
  // @ts-expect-error and no more
  sessions.on('session/created', (of: Session, event: SessionEvent) => void [of, event])
  // @ts-expect-error what went does not come back
  sessions.on('stored/changed', ({ kind }) => kind === 'restored')
  void [title, live, titled, named, strange, dated]
}
