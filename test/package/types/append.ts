/** What `append` takes and gives, and what it must refuse: events, their data, reasons of a turn's end, surface intents. */
import type {
  Session,
  SessionEvent,
  SessionEventMap,
  SessionEventType,
  SurfaceEventType,
  SurfaceIntent,
  SurfaceIntentOf,
  SurfaceOp,
  TurnEndReason,
  TurnEndReasonMap,
  UserMessage,
} from 'idb-sessions'
import { same } from './same.js'
import './declared.js'

declare const session: Session
declare const message: UserMessage
declare const answer: SessionEventMap['assistant/message']
declare const result: SessionEventMap['tool/result']

export function takes(): void {
  session.append('turn/start', { turn: 1 })
  session.append('session/end-seed', {})
  session.append('application/rated', { stars: 5 })
  session.append('user/message', message, { surfaceOp: 'append' })
  session.append('assistant/message', answer, { surfaceOp: 'append', sourceEventSeqs: [] })
  session.append('tool/result', result, { surfaceOp: { op: 'replace', start: 1, end: 2 }, sourceEventSeqs: [1, 2] })
}

/** An intent is a matter of the type, also where that is not known yet. */
export function passesOn<T extends SessionEventType>(
  type: T,
  data: SessionEventMap[T],
  ...intent: SurfaceIntentOf<T>
): SessionEvent<T> {
  return session.append(type, data, ...intent)
}

export function intents(): void {
  same<SurfaceEventType, 'user/message' | 'assistant/message' | 'tool/result'>()
  same<SurfaceIntentOf<SurfaceEventType>, [SurfaceIntent]>()
  same<SurfaceIntentOf<Exclude<SessionEventType, SurfaceEventType>>, []>()
  same<SurfaceIntent, { surfaceOp: SurfaceOp; sourceEventSeqs?: readonly number[] }>()
  same<SurfaceOp, 'append' | { op: 'replace'; start: number; end: number }>()

  // @ts-expect-error a message needs its intent
  session.append('user/message', message)
  // @ts-expect-error so does an answer
  session.append('assistant/message', answer)
  // @ts-expect-error and a tool's result
  session.append('tool/result', result)
  // @ts-expect-error undefined is none
  session.append('user/message', message, undefined)
  // @ts-expect-error it says how the message enters the surface
  session.append('user/message', message, { sourceEventSeqs: [1] })
  // @ts-expect-error in one of two ways
  session.append('user/message', message, { surfaceOp: 'prepend' })
  // @ts-expect-error a replacement has an end
  session.append('user/message', message, { surfaceOp: { op: 'replace', start: 1 } })
  // @ts-expect-error sources are seqs
  session.append('user/message', message, { surfaceOp: 'append', sourceEventSeqs: ['a'] })
  // @ts-expect-error no other type takes one
  session.append('turn/start', { turn: 1 }, { surfaceOp: 'append' })
  // @ts-expect-error also where it is passed on
  passesOn('step/start', { turn: 1, step: 1 }, { surfaceOp: 'append' })
  // @ts-expect-error nor the application's own
  session.append('application/rated', { stars: 5 }, { surfaceOp: 'append' })
}

export function reasons(): void {
  const reasons: TurnEndReason[] = [
    { kind: 'completed' },
    { kind: 'blocked' },
    { kind: 'max-tokens' },
    { kind: 'interrupted' },
    { kind: 'aborted', reason: { kind: 'user' } },
    { kind: 'aborted', reason: { kind: 'hook', reason: 'policy' } },
    { kind: 'error', error: { message: 'HTTP 500', code: 'HTTP', status: 500 } },
    { kind: 'application/bored', after: 3 },
  ]
  for (const reason of reasons) session.append('turn/end', { turn: 1, reason })
  same<TurnEndReasonMap['blocked'], { kind: 'blocked' }>()
  same<TurnEndReasonMap['application/bored'], { kind: 'application/bored'; after: number }>()

  // @ts-expect-error a reason that nobody declared
  session.append('turn/end', { turn: 1, reason: { kind: 'tired' } })
  // @ts-expect-error a reason is an object
  session.append('turn/end', { turn: 1, reason: 'completed' })
  // @ts-expect-error a turn has a reason to end
  session.append('turn/end', { turn: 1 })
  // @ts-expect-error somebody aborted it
  session.append('turn/end', { turn: 1, reason: { kind: 'aborted' } })
  // @ts-expect-error one of those that can
  session.append('turn/end', { turn: 1, reason: { kind: 'aborted', reason: { kind: 'tab' } } })
  // @ts-expect-error a hook says why
  session.append('turn/end', { turn: 1, reason: { kind: 'aborted', reason: { kind: 'hook' } } })
  // @ts-expect-error a failure has a code
  session.append('turn/end', { turn: 1, reason: { kind: 'error', error: { message: 'HTTP 500' } } })
  // @ts-expect-error the application's own have their fields
  session.append('turn/end', { turn: 1, reason: { kind: 'application/bored' } })
}

export function data(name: string): void {
  // @ts-expect-error the data belongs to the type
  session.append('turn/start', { step: 1 })
  // @ts-expect-error with nothing else in it
  session.append('turn/start', { turn: 1, step: 1 })
  // @ts-expect-error and is not left out
  session.append('turn/start')
  // @ts-expect-error a message's role is its type's
  session.append('user/message', { ...message, role: 'assistant' }, { surfaceOp: 'append' })
  // @ts-expect-error an answer comes from a model
  session.append('assistant/message', { ...answer, message }, { surfaceOp: 'append' })
  // @ts-expect-error an own type has its own data
  session.append('application/rated', { stars: 6 })
  // @ts-expect-error an unknown type has to be declared
  session.append('application/unknown', {})
  // @ts-expect-error a type is not just any string
  session.append(name, { turn: 1 })
}

/** An event tells its data by its type, also where the application's own types belong to the union. */
export function tells(event: SessionEvent): number | undefined {
  same<SessionEvent<'step/start'>['data'], { turn: number; step: number }>()
  same<SessionEvent<'turn/end'>['data']['reason'], TurnEndReason>()
  same<SessionEvent<'user/message'>['surfaceOp'], SurfaceOp>()
  same<SessionEvent['type'], SessionEventType>()
  same<SessionEvent['seq'], number>()
  same<SessionEvent['time'], number>()
  same<SessionEvent['ignorable'], true | undefined>()
  switch (event.type) {
    case 'application/rated':
      return event.data.stars
    case 'turn/end':
      return event.data.reason.kind === 'application/bored' ? event.data.reason.after : event.data.turn
    case 'user/message':
      return event.surfaceOp === 'append' ? event.data.content.length : event.surfaceOp.start
    case 'turn/start':
      // @ts-expect-error only messages have a place on the surface
      return event.surfaceOp
    default:
      // @ts-expect-error data is not known before the type is
      return event.data.turn
  }
}
