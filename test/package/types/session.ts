/** A session as the application holds it: what can be read, and that nothing of it can be written to. */
import type {
  EpochHeader,
  Message,
  RequestContext,
  Session,
  SessionEvent,
  SessionHeader,
  SessionId,
  SessionState,
  SessionView,
  SurfaceView,
  TurnState,
} from 'idb-sessions'
import { same } from './same.js'

export function reads(session: Session): SessionView {
  same<SessionView['id'], SessionId>()
  same<SessionView['header'], SessionHeader>()
  same<SessionView['state'], SessionState>()
  same<SessionState, 'live' | 'following' | 'conflict' | 'released' | 'deleted'>()
  same<SessionView['events'], readonly SessionEvent[]>()
  same<SessionView['seq'], number>()
  same<SessionView['durable'], number>()
  same<SessionView['surface'], SurfaceView>()
  same<SurfaceView, { readonly nodes: readonly number[]; readonly replaceGeneration: number }>()
  same<SessionView['messages'], readonly Message[]>()
  same<SessionView['turn'], TurnState>()
  same<TurnState, { readonly open?: number; readonly step?: number; readonly next: number }>()
  same<Session['firstLiveSeq'], number>()
  return session
}

export function calls(): void {
  same<SessionView['at'], (seq: number) => SessionEvent | undefined>()
  same<SessionView['slice'], (from: number, to?: number) => readonly SessionEvent[]>()
  same<SessionView['deriveMessages'], () => Message[]>()
  same<SessionView['requestHeader'], () => EpochHeader | undefined>()
  same<SessionView['requestContext'], () => RequestContext | undefined>()
  same<SessionView['subscribe'], (listener: () => void) => () => void>()
  same<SessionView['close'], () => void>()
}

export function rejects(session: Session, view: SessionView): void {
  // @ts-expect-error a view cannot be written to
  view.append('turn/start', { turn: 1 })
  // @ts-expect-error nor is it a live session
  session = view
  // @ts-expect-error no turn may be open
  const open: number = session.turn.open
  // @ts-expect-error there may be no such event
  const event: SessionEvent = session.at(0)
  // @ts-expect-error and nothing was asked of a model yet
  void session.requestContext().model
  // @ts-expect-error no such state
  if (session.state === 'closed') return
  void [open, event]
}

/** All of this is frozen, and would throw. */
export function assigns(session: Session, event: SessionEvent, header: SessionHeader): void {
  // @ts-expect-error read-only
  session.id = 'b'
  // @ts-expect-error read-only
  session.state = 'live'
  // @ts-expect-error read-only
  session.seq = 1
  // @ts-expect-error read-only
  session.durable = 1
  // @ts-expect-error read-only
  session.firstLiveSeq = 1
  // @ts-expect-error read-only
  session.header = header
  // @ts-expect-error read-only
  session.header.cwd = '/'
  // @ts-expect-error read-only
  session.turn.next = 1
  // @ts-expect-error read-only
  session.surface.nodes.push(1)
  // @ts-expect-error read-only
  session.surface.replaceGeneration++
  // @ts-expect-error read-only
  session.messages.push(session.messages[0]!)
  // @ts-expect-error read-only
  session.events.push(event)
  // @ts-expect-error read-only
  session.events[0] = event
  // @ts-expect-error read-only
  session.slice(0).pop()
  // @ts-expect-error read-only
  event.seq = 1
  // @ts-expect-error read-only
  event.time = 1
  // @ts-expect-error read-only
  event.type = 'turn/start'
  // @ts-expect-error read-only
  event.data = {}
  // @ts-expect-error read-only
  event.ignorable = true
  // @ts-expect-error read-only
  if (event.type === 'tool/result') event.surfaceOp = 'append'
  // @ts-expect-error read-only
  if (event.type === 'tool/result') event.sourceEventSeqs?.reverse()
}
