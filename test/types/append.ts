/** What `append` takes, as types: `npm run check` fails when a line that must not compile does, or the other way round. */
import type { Session, SessionEvent, SessionEventMap, TurnEndReason, UserMessage } from 'idb-sessions'

declare module 'idb-sessions' {
  interface SessionEventMap {
    'types/own': { n: number }
  }
  interface TurnEndReasonMap {
    'types/reason': { kind: 'types/reason'; by: string }
  }
}

declare const session: Session
declare const message: UserMessage

export function compiles(): void {
  session.append('turn/start', { turn: 1 })
  session.append('user/message', message, { surfaceOp: 'append' })
  session.append('user/message', message, { surfaceOp: { op: 'replace', start: 1, end: 2 }, sourceEventSeqs: [1, 2] })
  session.append('types/own', { n: 1 })
  session.append('turn/end', { turn: 1, reason: { kind: 'types/reason', by: 'me' } })

  const appended: SessionEvent<'turn/start'> = session.append('turn/start', { turn: 1 })
  const turn: number = appended.data.turn
  const reason: TurnEndReason = { kind: 'aborted', reason: { kind: 'user' } }
  const own: SessionEventMap['types/own'] = { n: turn }
  for (const event of session.events) if (event.type === 'user/message') event.data.content.at(0)
  void [reason, own]
}

export function doesNotCompile(): void {
  // @ts-expect-error a message needs its surface intent
  session.append('user/message', message)
  // @ts-expect-error no other type takes one
  session.append('turn/start', { turn: 1 }, { surfaceOp: 'append' })
  // @ts-expect-error the data belongs to the type
  session.append('turn/start', { step: 1 })
  // @ts-expect-error an unknown type has to be declared
  session.append('types/unknown', {})
  // @ts-expect-error a reason that nobody declared
  session.append('turn/end', { turn: 1, reason: { kind: 'tired' } })
  // @ts-expect-error events are read-only
  session.events[0]!.seq = 1
  // @ts-expect-error so is the list of them
  session.events.push(session.events[0]!)
}
