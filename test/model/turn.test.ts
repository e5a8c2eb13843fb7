/** Any sequence of what a body may do to a `TurnWriter`, sensible or not, with aborts and throws in between. */
import fc from 'fast-check'
import type { Message, Session, SessionStore } from 'idb-sessions'
import { checkTurns, foldTranscript } from 'idb-sessions/log'
import { runTurn, userMessage, type TurnWriter } from 'idb-sessions/turn'
import { expect, test } from 'vitest'
import { expectSame } from '../support/same.js'
import { page } from '../support/lifetime.js'
import { seed } from './seed.js'

interface Context {
  session: Session
  abort: () => void
  /** Acts while the next event is told to listeners. */
  inside: (act: () => void) => void
}

type Act = (turn: TurnWriter, context: Context) => unknown

/** More levels than an event may have. */
const DEEP: unknown = JSON.parse(`${'['.repeat(501)}${']'.repeat(501)}`)

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
  'deep result a': (turn) => turn.result('a', [{ type: 'text', text: '', deep: DEEP }] as never),
  'text from a listener': (turn, { inside }) => inside(() => turn.delta('text', 'no ')),
  'start a from a listener': (turn, { inside }) => inside(() => turn.start('a')),
  'result b from a listener': (turn, { inside }) => inside(() => turn.result('b', 'out')),
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

async function run(store: SessionStore, session: Session, { acts, catches }: Plan): Promise<void> {
  const controller = new AbortController()
  const inside = (act: () => void): void => {
    const stop = store.on('session/event', () => {
      stop()
      try {
        act()
      } catch {
        // As a body that catches.
      }
    })
  }
  const context = { session, inside, abort: () => controller.abort() }
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

/** Calls whose results do not follow their message at once, as every model wants it; where the user steers is not ours. */
function unanswered(all: readonly Message[]): string[] {
  const messages = all.filter(({ source }) => source.kind !== 'user')
  return messages.flatMap(({ content }, i) => {
    const calls = content.flatMap((block) => (block.type === 'tool-call' ? [block.id] : []))
    const results = messages.slice(i + 1, i + 1 + calls.length).flatMap((message) => message.content)
    const answered = new Set(results.map((block) => block.type === 'tool-result' && block.toolCallId))
    return calls.filter((id) => !answered.has(id))
  })
}

async function check(store: SessionStore, plans: readonly Plan[]): Promise<void> {
  const session = await store.create()
  for (const plan of plans) await run(store, session, plan)
  expect(checkTurns(session.events)).toEqual([])
  expect(unanswered(session.messages)).toEqual([])
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
    { seed, numRuns: 500 },
  )
}, 60_000)
