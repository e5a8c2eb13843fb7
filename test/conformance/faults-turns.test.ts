/** Faults that real products had (`faults.md`), and inputs that would show them here: turns that are open, cut off or watched. */
import { describe, expect, test } from 'vitest'
import type { Message, Session, SessionEvent } from 'idb-sessions'
import { checkTurns, foldTranscript, interruptedTurnClosers } from 'idb-sessions/log'
import { runTurn, userMessage, type TurnWriter } from 'idb-sessions/turn'
import { call, delta, log, start, stepStart, toolCall, user, assistant, result, stepEnd, end } from '../log/support.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import { PlainLog, shapes, streamChunks } from '../support/shapes.js'
import { exported, reread } from './support.js'

const MODEL = { provider: 'p', model: 'm' }

/** Calls that an API would miss the result of: it wants all of them right after the message that made them. */
function unanswered(messages: readonly Message[]): string[] {
  const missing: string[] = []
  for (const [i, message] of messages.entries()) {
    const rest = messages.slice(i + 1)
    const until = rest.findIndex(({ role, source }) => role === 'assistant' || source.kind === 'user')
    const answers = rest.slice(0, until === -1 ? undefined : until).flatMap(({ content }) => content)
    for (const block of message.content) {
      if (block.type !== 'tool-call') continue
      if (!answers.some((other) => other.type === 'tool-result' && other.toolCallId === block.id))
        missing.push(block.id)
    }
  }
  return missing
}

/** A turn with three parallel calls, as it stands after each of its events. */
const IDS = ['a', 'b', 'c']
const PARALLEL = log(
  start(1),
  stepStart(1, 1),
  user('do all'),
  assistant(IDS.map(toolCall)),
  IDS.map((id) => call(id)),
  IDS.map((id) => result(id)),
  stepEnd(1, 1),
  end(1),
)

describe('transcript built from an open prefix (fault 6)', () => {
  test.each(PARALLEL.map((_, i) => i + 1))(
    'with its closers, the first %s events answer every call',
    async (length) => {
      const { store } = await page()
      const prefix = PARALLEL.slice(0, length)
      const session = await store.create('a', { seed: [...prefix, ...interruptedTurnClosers(prefix)] })
      expect(unanswered(session.messages)).toEqual([])
    },
  )
})

describe('snapshot of a non-settled state treated as settled (fault 7)', () => {
  test.each(PARALLEL.map((_, i) => i + 1))(
    'exported after %s events, imported and loaded, it is valid',
    async (length) => {
      const { store } = await page()
      await store.create('a', { seed: PARALLEL.slice(0, length) })
      await store.importLog(await exported(store, 'a'), { id: 'b' })
      const session = await store.load('b')
      expect(unanswered(session.messages)).toEqual([])
      expect(checkTurns(session.events)).toEqual([])
      expect(session.transcript).toEqual(foldTranscript(session.events))
    },
  )
})

describe('no ownership decision at fork (fault 10)', () => {
  test('the fork of a session that is in a turn has no turn of its own, and gets nothing of it', async () => {
    const { store } = await page()
    const session = await store.create('a')
    const boundary = appendTurn(session, 'first', 'one')
    let child: Session | undefined
    await runTurn(session, userMessage('second'), async (turn) => {
      turn.beginStep(MODEL)
      turn.delta('text', 'be')
      child = await store.fork(session, boundary)
      turn.delta('text', 'hind')
    })
    expect(child?.turn).toEqual({ next: 2 })
    expect(child?.seq).toBe(boundary + 1)
  })
})

describe('shared mutable view state between source and child (fault 11)', () => {
  test('both logs are whole after a reload, whoever was watched meanwhile', async () => {
    const opened = await page()
    const source = await opened.store.create('a')
    appendTurn(source, 'first', 'one')
    const child = await opened.store.fork(source, undefined, 'b')
    await runTurn(child, userMessage('second'), async (turn) => {
      turn.beginStep(MODEL)
      for (let i = 0; i < 20; i++) {
        const watched = i % 2 === 0 ? source : child
        const stop = watched.subscribe(() => {})
        turn.delta('text', `${watched.transcript.length} `)
        stop()
      }
    })
    await Promise.all([opened.store.flush(source), opened.store.flush(child)])
    const [a, b] = [await reread(opened, 'a'), await reread(opened, 'b')]
    expect(a.events).toEqual(source.events)
    expect(b.events).toEqual(child.events)
  })
})

describe('copied events indistinguishable from own (fault 30)', () => {
  test('usage from seedLength on, summed over a chain of forks, counts every token once', async () => {
    const { store } = await page()
    const family = [await store.create()]
    const ask = (session: Session): Promise<void> =>
      runTurn(session, userMessage('hi'), async (turn) => {
        turn.beginStep(MODEL)
        turn.delta('text', 'yes')
        turn.commit({ usage: { inputTokens: 1, outputTokens: 10 } })
      })
    for (let i = 0; i < 4; i++) {
      await ask(family[i]!)
      if (i < 3) family.push(await store.fork(family[i]!))
    }
    const own = family.flatMap((session) => session.slice(session.header.seedLength ?? 0))
    const usage = own.flatMap((event) => (event.type === 'assistant/message' ? [event.data.usage!] : []))
    expect(usage.reduce((sum, { outputTokens }) => sum + outputTokens, 0)).toBe(40)
  })
})

describe('re-reading or re-rendering all per change (fault 56)', () => {
  /** The fastest of some runs of 1,000 chunks, each with a look at every view, ms. */
  async function cost(events: number): Promise<number> {
    const { store } = await page()
    const plain = new PlainLog()
    for (let turn = 1; plain.seq < events; turn++) {
      const writer = { append: plain.append, seq: plain.seq, turn: { next: turn }, surface: { nodes: [] } }
      shapes.packedChunks(writer, 8)
    }
    const session = await store.create(undefined, { seed: plain.events })
    session.append('turn/start', { turn: session.turn.next })
    const times = Array.from({ length: 5 }, () => {
      const begin = performance.now()
      for (let i = 0; i < 1000; i += 10) {
        streamChunks(session, 10)
        void [session.messages, session.surface, session.turn, session.transcript, session.at(session.seq - 1)]
      }
      return performance.now() - begin
    })
    return Math.min(...times)
  }

  test('a chunk costs about the same at the end of 100,000 events as of 100', async () => {
    const [short, long] = [await cost(100), await cost(100_000)]
    // 1.1 to 1.6 as a rule; whatever read the whole log again would be hundreds.
    expect(long / short).toBeLessThan(8)
  }, 60_000)

  test('what did not change is the same object', async () => {
    const { store } = await page()
    const session = await store.create()
    appendTurn(session, 'first', 'one')
    session.append('turn/start', { turn: 2 })
    const { messages, surface, transcript } = session
    streamChunks(session, 1)
    expect(session.messages).toBe(messages)
    expect(session.surface).toBe(surface)
    expect(session.transcript.slice(0, 2).every((entry, i) => entry === transcript[i])).toBe(true)
  })
})

describe('replace-or-append decided by last position (fault 58)', () => {
  const CHUNKS = 5

  test.each(Array.from({ length: CHUNKS + 1 }, (_, i) => i))(
    'reloaded after %s chunks and asked again, no answer is there twice',
    async (seen) => {
      const opened = await page()
      const session = await opened.store.create('a')
      appendTurn(session, 'first', 'one')
      const answer = (turn: TurnWriter, from: number): void => {
        turn.beginStep(MODEL)
        for (let i = from; i < CHUNKS; i++) turn.delta('text', `${i} `)
      }
      void runTurn(session, userMessage('second'), async (turn) => {
        turn.beginStep(MODEL)
        for (let i = 0; i < seen; i++) turn.delta('text', `${i} `)
        await new Promise(() => {})
      })
      await opened.store.flush(session)
      opened.crash()
      const { store } = await tab(opened)
      const again = await store.load('a')
      await runTurn(again, userMessage('third'), async (turn) => answer(turn, 0))
      const answers = again.transcript.filter(({ role }) => role === 'assistant').map(({ blocks }) => blocks)
      const texts = answers.map((blocks) => blocks.map((block) => ('text' in block ? block.text : '')).join(''))
      const cut = Array.from({ length: seen }, (_, i) => `${i} `).join('')
      expect(texts).toEqual(['one', ...(seen > 0 ? [cut] : []), '0 1 2 3 4 '])
      expect(new Set(again.transcript.map(({ key }) => key)).size).toBe(again.transcript.length)
    },
  )
})

describe('persisted "streaming" flag outlives the stream (fault 59)', () => {
  const STREAMING: SessionEvent[] = log(start(1), stepStart(1, 1), user('hi'), delta('half '), delta('an answer'))

  test('when all pages die in a turn, it is interrupted on reopening, and its chunks are kept', async () => {
    const opened = await page()
    const session = await opened.store.create('a', { seed: STREAMING })
    expect(session.transcript.at(-1)?.state).toBe('streaming')
    opened.crash()
    const again = await reread(opened, 'a')
    expect(again.turn.open).toBeUndefined()
    expect(again.transcript.at(-1)).toMatchObject({
      state: 'interrupted',
      reason: { kind: 'interrupted' },
      blocks: [{ type: 'text', text: 'half an answer' }],
    })
  })

  test('inspect shows it interrupted, and writes nothing', async () => {
    const opened = await page()
    await opened.store.create('a', { seed: STREAMING })
    opened.crash()
    const { store } = await tab(opened)
    const { events } = await store.inspect('a')
    expect(foldTranscript(events).at(-1)?.state).toBe('interrupted')
    expect((await store.stored())[0]).toMatchObject({ length: STREAMING.length, openTurn: true })
  })
})
