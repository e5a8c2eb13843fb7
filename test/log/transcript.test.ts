import fc from 'fast-check'
import type { SessionEvent, TranscriptEntry, TurnEndReason } from 'idb-sessions'
import { foldTranscript, interruptedTurnClosers } from 'idb-sessions/log'
import { describe, expect, test } from 'vitest'
import { freezeJson } from '../../lib/log/json.js'
import { Transcript } from '../../lib/log/transcript.js'
import { seed } from '../model/seed.js'
import { plainTranscript } from './plain-transcript.js'
import { acceptedLog, assistant, call, chunk, delta, end, log, realLog, replacing, result } from './support.js'
import { start, stepEnd, stepStart, toolCall, toolDelta, turn, user, type Draft } from './support.js'

const FAILED: TurnEndReason = { kind: 'error', error: { message: 'no', code: 'NO' } }
const ABORTED: TurnEndReason = { kind: 'aborted', reason: { kind: 'user' } }

/** Drafts in any order, in and out of turns and steps. */
const anyOrder = fc
  .array(
    fc.constantFrom<Draft>(
      start(1),
      end(1),
      end(1, FAILED),
      stepStart(1, 1),
      stepEnd(1, 1),
      user('hi'),
      delta('a'),
      delta('b', 1),
      toolDelta('{', 'ls'),
      toolDelta('{', 'ls', 'd'),
      chunk({ type: 'block-end', index: 0, block: toolCall('d') }),
      chunk({ type: 'reasoning-delta', index: 0, text: 'c' }),
      chunk({ type: 'finish', reason: { kind: 'stop' } }),
      assistant('all'),
      assistant([toolCall('c')]),
      { ...assistant('cut'), data: { ...(assistant('cut').data as object), interrupted: true } },
      result('c'),
      result('d'),
    ),
    { maxLength: 30 },
  )
  .map((drafts) => log(drafts))

const fold = (...drafts: (Draft | Draft[])[]): TranscriptEntry[] => foldTranscript(log(...drafts))
/** The last entry of a log that begins with a turn, a step and a prompt. */
const answer = (...drafts: Draft[]): TranscriptEntry => fold(start(1), stepStart(1, 1), user('hi'), ...drafts).at(-1)!
const textOf = ({ blocks }: TranscriptEntry): string =>
  blocks.map((block) => ('text' in block ? block.text : block.type)).join('|')

describe('an entry', () => {
  test('of a prompt says where its turn can be forked, and why that ended', () => {
    expect(fold(turn(1))[0]).toEqual({
      key: '1',
      seq: 1,
      turn: 1,
      role: 'user',
      blocks: [{ type: 'text', text: 'prompt 1' }],
      results: {},
      state: 'done',
      reason: { kind: 'completed' },
      forkAt: 2,
    })
  })

  test('of an open turn cannot be forked', () => {
    expect(answer(assistant('a'))).not.toHaveProperty('forkAt')
  })

  test('that stands outside of turns has no number and no fork', () => {
    const [outside] = fold(user('before'), turn(1))
    expect(outside).not.toHaveProperty('turn')
    expect(outside).not.toHaveProperty('forkAt')
  })

  test('streams, block by block, until its message comes', () => {
    const streaming = answer(delta('a'), delta('b'), chunk({ type: 'reasoning-delta', index: 1, text: 'c' }))
    expect(streaming).toMatchObject({ state: 'streaming', role: 'assistant' })
    expect(streaming.blocks).toEqual([
      { type: 'text', text: 'ab' },
      { type: 'reasoning', text: 'c' },
    ])
    expect(answer(delta('a'), assistant('all'))).toMatchObject({
      state: 'done',
      blocks: [{ type: 'text', text: 'all' }],
    })
  })

  test('has the same key while it streams and after', () => {
    const drafts = [delta('a'), delta('b'), assistant('ab'), stepEnd(1, 1), end(1)]
    const keys = drafts.map((_, i) => answer(...drafts.slice(0, i + 1)).key)
    expect(new Set(keys)).toEqual(new Set(['3']))
  })

  test('of an answer in two steps is two, and both can be forked at the end of the turn', () => {
    const entries = fold(
      start(1),
      stepStart(1, 1),
      assistant('a'),
      stepEnd(1, 1),
      stepStart(1, 2),
      assistant('b', { turn: 1, step: 2 }),
      stepEnd(1, 2),
      end(1),
    )
    expect(entries.map((entry) => [textOf(entry), entry.forkAt])).toEqual([
      ['a', 7],
      ['b', 7],
    ])
  })

  test('of an answer that streams outside of turns does not stream for ever', () => {
    expect(fold(delta('a'))[0]).toMatchObject({ state: 'interrupted', blocks: [{ type: 'text', text: 'a' }] })
    expect(fold(delta('a'), assistant('all'))[0]).toMatchObject({ state: 'done' })
  })

  test('of an answer without content is there, and empty', () => {
    expect(answer(assistant([]))).toMatchObject({ blocks: [], state: 'done' })
  })
})

describe('results', () => {
  test('stand with the answer that called, by the id of the call', () => {
    const { results } = answer(assistant([toolCall('a'), toolCall('b')]), call('a'), result('a', 'out'))
    expect(results['a']).toMatchObject({ toolCallId: 'a', content: [{ type: 'text', text: 'out' }] })
    expect(results['b']).toBeUndefined()
  })

  test('of one id in two steps stand each with its own', () => {
    const entries = fold(
      start(1),
      stepStart(1, 1),
      assistant([toolCall('a')]),
      result('a', 'first'),
      stepEnd(1, 1),
      stepStart(1, 2),
      assistant([toolCall('a')], { turn: 1, step: 2 }),
      result('a', 'second'),
    )
    const outputs = entries.map(({ results }) => results['a']?.content)
    expect(outputs).toEqual([[{ type: 'text', text: 'first' }], [{ type: 'text', text: 'second' }]])
  })

  test('that come before the message stand with the answer that streams the call', () => {
    for (const calling of [toolDelta('{', 'ls'), chunk({ type: 'block-end', index: 0, block: toolCall('c') })]) {
      expect(answer(calling, result('c', 'out')).results['c']).toBeDefined()
    }
  })

  test('of a call that was streamed, and is not in the message, stand nowhere: it was not made', () => {
    const { results } = answer(toolDelta('{', 'ls', 'd'), assistant('no call'), result('d'))
    expect(results).toEqual({})
  })

  test('are found by any id, also one that objects know', () => {
    const { results } = answer(assistant([toolCall('__proto__'), toolCall('constructor')]), result('__proto__', 'x'))
    expect(results['__proto__']).toMatchObject({ toolCallId: '__proto__' })
    expect(results['constructor']).toBeUndefined()
  })
})

/** Loose: it catches a cost that grows with the square of the calls, not a slow machine. */
const AT_MOST = 1000

test(`the results of 5,000 calls of one answer are taken in within ${AT_MOST} ms`, () => {
  const ids = Array.from({ length: 5000 }, (_, i) => `call ${i}`)
  const events = log(start(1), assistant(ids.map(toolCall)), ...ids.map((id) => result(id)))
  const begin = performance.now()
  const { results } = foldTranscript(events)[0]!
  expect(performance.now() - begin).toBeLessThan(AT_MOST)
  expect(Object.keys(results)).toHaveLength(5000)
})

describe('an answer that was cut off', () => {
  test('keeps what was on the screen, after a crash too', () => {
    const cut = log(start(1), stepStart(1, 1), user('hi'), delta('half '), delta('an'))
    const closed = foldTranscript([...cut, ...interruptedTurnClosers(cut)])
    expect(closed.at(-1)).toMatchObject({ state: 'interrupted', reason: { kind: 'interrupted' }, key: '3', forkAt: 6 })
    expect(textOf(closed.at(-1)!)).toBe('half an')
  })

  test('by an abort is interrupted', () => {
    const message = assistant('half')
    const interrupted = { ...message, data: { ...(message.data as object), interrupted: true } }
    expect(answer(delta('half'), interrupted, stepEnd(1, 1), end(1, ABORTED))).toMatchObject({
      state: 'interrupted',
      reason: ABORTED,
    })
  })

  test('by an error has failed', () => {
    expect(answer(delta('half'), stepEnd(1, 1), end(1, FAILED))).toMatchObject({ state: 'failed', reason: FAILED })
  })

  test('in a step before the one that failed is interrupted', () => {
    const message = assistant('half')
    const interrupted = { ...message, data: { ...(message.data as object), interrupted: true } }
    const entries = fold(
      start(1),
      stepStart(1, 1),
      interrupted,
      stepEnd(1, 1),
      stepStart(1, 2),
      delta('x'),
      end(1, FAILED),
    )
    expect(entries.map(({ state }) => state)).toEqual(['interrupted', 'failed'])
  })

  test('does not go on streaming in the next step', () => {
    const entries = fold(start(1), stepStart(1, 1), delta('one'), stepEnd(1, 1), stepStart(1, 2), delta('two'))
    expect(entries.map((entry) => [textOf(entry), entry.state])).toEqual([
      ['one', 'interrupted'],
      ['two', 'streaming'],
    ])
  })

  test('leaves finished answers of its turn as they are', () => {
    const entries = fold(start(1), stepStart(1, 1), assistant('a'), stepEnd(1, 1), stepStart(1, 2), end(1, FAILED))
    expect(entries[0]).toMatchObject({ state: 'done', reason: FAILED })
  })
})

test('a compaction hides nothing, and shows nothing', () => {
  const drafts = [start(1), user('long'), replacing(user('short'), 1, 1, [1]), end(1)]
  expect(fold(...drafts).map(textOf)).toEqual(['long'])
})

test('a pruned result stays whole', () => {
  const drafts = [start(1), assistant([toolCall('a')]), result('a', 'whole'), replacing(result('a', 'cut'), 2, 2, [2])]
  expect(JSON.stringify(fold(...drafts)[0]!.results['a'])).toContain('whole')
})

test('chunks of no known shape are passed over', () => {
  const odd = [null, 1, [], {}, { type: 'text-delta', index: 0, text: 1 }, { type: 'tool-call-delta', index: 0 }]
  const drafts = odd.map((value) => chunk(value as object))
  expect(fold(start(1), ...drafts, { type: 'assistant/chunk', data: null })).toEqual([])
})

test('a block under the index of another kind is a block of its own', () => {
  expect(textOf(answer(delta('a'), chunk({ type: 'reasoning-delta', index: 0, text: 'b' }), delta('c')))).toBe('a|b|c')
})

test('a call under the index of another call is a block of its own', () => {
  const { blocks } = answer(toolDelta('{', 'ls'), toolDelta('[', 'cat', 'd'), toolDelta(']', undefined, 'd'))
  expect(blocks).toMatchObject([
    { id: 'c', name: 'ls', arguments: '{' },
    { id: 'd', name: 'cat', arguments: '[]' },
  ])
})

test('the end of a block gives it whole', () => {
  const whole = chunk({ type: 'block-end', index: 0, block: { type: 'text', text: 'whole' } })
  expect(textOf(answer(delta('wh'), whole))).toBe('whole')
})

test.each([undefined, 1, { toString: null, valueOf: null }])(
  'what goes on after an end that gave %j is text',
  (odd) => {
    const ended = (block: object): Draft => chunk({ type: 'block-end', index: 0, block })
    expect(textOf(answer(ended({ type: 'text', text: odd }), delta('on')))).toBe('on')
    const call = { type: 'tool-call', id: 'c', name: odd, arguments: odd }
    expect(answer(ended(call), toolDelta('{}')).blocks).toEqual([{ ...call, name: '', arguments: '{}' }])
  },
)

describe('as the log grows', () => {
  test('entries that do not change are the same objects', () => {
    const events = freezeJson(log(turn(1), start(2), stepStart(2, 1), delta('a'), delta('b')))
    const transcript = new Transcript()
    for (const event of events.slice(0, -1)) transcript.apply(event)
    const before = transcript.entries
    transcript.apply(events.at(-1)!)
    expect(transcript.entries[0]).toBe(before[0])
    expect(transcript.entries[1]).not.toBe(before[1])
  })

  test('blocks that do not change are the same objects', () => {
    const transcript = new Transcript()
    const events = log(start(1), delta('a', 0), delta('b', 1), delta('c', 1))
    for (const event of events.slice(0, -1)) transcript.apply(event)
    const before = transcript.entries[0]!.blocks
    transcript.apply(events.at(-1)!)
    expect(transcript.entries[0]!.blocks[0]).toBe(before[0])
  })

  test('it is the same frozen array until something changes', () => {
    const transcript = new Transcript()
    for (const event of log(turn(1))) transcript.apply(event)
    const before = transcript.entries
    transcript.apply(log({ type: 'session/end-seed', data: {} })[0]!)
    expect(transcript.entries).toBe(before)
    expect(Object.isFrozen(before)).toBe(true)
  })

  test.each([
    ['logs of a real loop', realLog],
    ['any log that append accepts', acceptedLog],
    ['events in any order', anyOrder],
  ])('after every event it equals a plain fold of all so far: %s', (_name, logs: fc.Arbitrary<SessionEvent[]>) => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 1, max: 4 }), (events, every) => {
        const transcript = new Transcript()
        for (const [i, event] of events.entries()) {
          transcript.apply(event)
          // Looking at it at each event, or now and then, must make no difference.
          const isSeen = (i + 1) % every === 0 || i === events.length - 1
          const entries = isSeen ? transcript.entries : []
          expect(entries).toEqual(isSeen ? plainTranscript(events.slice(0, i + 1)) : [])
        }
      }),
      { seed, numRuns: 500 },
    )
  })
})
