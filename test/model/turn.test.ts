/** Any sequence of what a body may do to a `TurnWriter`, sensible or not, with aborts and throws in between. */
import fc from 'fast-check'
import type { Session, SessionStore } from 'idb-sessions'
import { checkTurns, foldTranscript } from 'idb-sessions/log'
import { runTurn, userMessage, type TurnWriter } from 'idb-sessions/turn'
import { expect, test } from 'vitest'
import { expectSame } from '../support/same.js'
import { page } from '../support/lifetime.js'
import { seed } from './seed.js'

type Act = (turn: TurnWriter, context: { abort: () => void; session: Session }) => unknown

/** Acts by name, so that a failing run prints and shrinks. */
const ACTS: Record<string, Act> = {
  'begin step': (turn) => turn.beginStep({ provider: 'p', model: 'm' }),
  text: (turn) => turn.delta('text', 'some text '),
  'blank text': (turn) => turn.delta('text', ' \n'),
  'keyed text': (turn) => turn.delta('text', 'side ', 'k'),
  reasoning: (turn) => turn.delta('reasoning', 'hm '),
  'call a': (turn) => turn.call('a', 'ls', '{'),
  'call b': (turn) => turn.call('b', 'ls'),
  'start a': (turn) => turn.start('a'),
  'start b': (turn) => turn.start('b'),
  'result a': (turn) => turn.result('a', 'out'),
  'failed result b': (turn) => turn.result('b', [], { error: { name: 'E', code: 'E' } }),
  'bad result a': (turn) => turn.result('a', [undefined] as never),
  commit: (turn) => turn.commit({ usage: { inputTokens: 1, outputTokens: Number.NaN } }),
  'interrupted commit': (turn) => turn.commit({ interrupted: true }),
  'end step': (turn) => turn.endStep(),
  end: (turn) => turn.end(),
  'end, length': (turn) => turn.end({ kind: 'max-tokens' }),
  'end, odd': (turn) => turn.end({ kind: 'completed', odd: 1 } as never),
  abort: (_turn, { abort }) => abort(),
  wait: () => Promise.resolve(),
  steer: (_turn, { session }) => session.append('user/message', userMessage('and'), { surfaceOp: 'append' }),
  throw: () => {
    throw new Error('the body throws')
  },
}

/** Errors of the writer are caught by the body, or end it. */
interface Plan {
  acts: string[]
  catches: boolean
}

const plans = fc.array(
  fc.record({
    acts: fc.array(
      fc.constantFrom(...Object.keys(ACTS).flatMap((name) => [name, ...(name === 'throw' ? [] : [name])])),
      {
        maxLength: 16,
      },
    ),
    catches: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
)

async function run(session: Session, { acts, catches }: Plan): Promise<void> {
  const controller = new AbortController()
  const context = { session, abort: () => controller.abort() }
  let running: Promise<void> | undefined
  const body = async (turn: TurnWriter): Promise<void> => {
    for (const name of acts) {
      try {
        await ACTS[name]!(turn, context)
      } catch (error) {
        if (!catches) throw error
      }
    }
  }
  await runTurn(session, userMessage('go'), (turn) => (running = body(turn)), controller).catch(() => {})
  // After an abort the turn is closed before its body comes to an end.
  expect(session.turn.open).toBeUndefined()
  await running?.catch(() => {})
}

async function check(store: SessionStore, plans: readonly Plan[]): Promise<void> {
  const session = await store.create()
  for (const plan of plans) await run(session, plan)
  expect(checkTurns(session.events)).toEqual([])
  const { events, transcript } = session
  expect(transcript).toEqual(foldTranscript(events))
  expect(transcript.filter(({ state }) => state === 'streaming')).toEqual([])
  await store.release(session)
  const loaded = await store.load(session.id)
  expectSame(loaded.events, events)
  expect(loaded.transcript).toEqual(transcript)
  await store.delete(loaded.id)
}

test('whatever a body does, its turns are closed, checkTurns accepts them, and they reload to the same transcript', async () => {
  const { store } = await page()
  await fc.assert(
    fc.asyncProperty(plans, (plans) => check(store, plans)),
    { seed, numRuns: 300 },
  )
}, 60_000)
