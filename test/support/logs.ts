/** Turns to append: the smallest that a real loop would write. */
import type { Session, UserMessage } from 'idb-sessions'
import type { Page } from './page.js'

let ids = 0

export function user(text: string): UserMessage {
  return { id: `user-${++ids}`, role: 'user', content: [{ type: 'text', text }], source: { kind: 'user' } }
}

/** Appends a finished turn with one answer: turn/start, step/start, user, `chunks` deltas, assistant, step/end, turn/end. */
export function appendTurn(session: Session, prompt: string, answer: string, chunks = 3): number {
  const turn = beginTurn(session, prompt)
  for (let i = 0; i < chunks; i++) {
    session.append('assistant/chunk', { turn, step: 1, chunk: { type: 'text-delta', index: 0, text: `${answer} ` } })
  }
  session.append(
    'assistant/message',
    {
      turn,
      step: 1,
      message: {
        id: `assistant-${++ids}`,
        role: 'assistant',
        content: [{ type: 'text', text: answer }],
        source: { kind: 'model', provider: 'test', model: 'scripted' },
      },
    },
    { surfaceOp: 'append' },
  )
  session.append('step/end', { turn, step: 1 })
  return session.append('turn/end', { turn, reason: { kind: 'completed' } }).seq
}

/** Appends the beginning of a turn and leaves it open. Returns its number. */
export function beginTurn(session: Session, prompt: string): number {
  const turn = session.turn.next
  session.append('turn/start', { turn })
  session.append('step/start', { turn, step: 1 })
  session.append('user/message', user(prompt), { surfaceOp: 'append' })
  return turn
}

/** A session of `turns` turns of three events, each stored by itself. */
export async function createInTurns({ store }: Page, id: string, turns: number): Promise<Session> {
  const session = await store.create(id)
  for (let turnNumber = 1; turnNumber <= turns; turnNumber++) {
    session.append('turn/start', { turn: turnNumber })
    session.append('user/message', user(`${id}${turnNumber}`), { surfaceOp: 'append' })
    session.append('turn/end', { turn: turnNumber, reason: { kind: 'completed' } })
    await store.flush(session)
  }
  return session
}
