import fc from 'fast-check'
import { interruptedTurnClosers } from 'idb-sessions/log'
import { describe, expect, it } from 'vitest'
import { admitSeed } from '../../lib/log/admit.js'
import type { SessionEvent } from '../../lib/log/event.js'
import { advanceTurn, NO_TURN } from '../../lib/log/turns.js'
import { acceptedLog, assistant, call, type Draft, end, fileOf, log, read, realLog, result } from './support.js'
import { start, stepEnd, stepStart, title, toolCall, turn, user } from './support.js'

const closers = (...drafts: (Draft | Draft[])[]): SessionEvent[] => interruptedTurnClosers(log(...drafts))
/** `[callId, code, sources]` of the results among the closers. */
const results = (...drafts: (Draft | Draft[])[]): unknown[] =>
  closers(...drafts)
    .filter((event) => event.type === 'tool/result')
    .map(({ data, sourceEventSeqs }) => [data.message.source.callId, data.error?.code, sourceEventSeqs])
/** An open step whose answer makes these calls. */
const calling = (...ids: string[]): Draft[] => [start(1), stepStart(1, 1), assistant(ids.map(toolCall))]

describe('a log without an open turn', () => {
  it.each<[string, (Draft | Draft[])[]]>([
    ['that is empty', []],
    ['of finished turns', [turn(1), turn(2)]],
    ['of other events', [title('t'), user('x')]],
    ['whose turn ended inside a step with pending calls', [calling('a'), end(1)]],
    ['whose end has no start', [end(1)]],
  ])('%s needs no closers', (_name, drafts) => {
    expect(closers(...drafts)).toEqual([])
  })
})

describe('an open turn', () => {
  it('is closed as interrupted, at the time of the last event', () => {
    expect(closers(turn(1), { ...start(2), time: 5 })).toStrictEqual([
      { type: 'turn/end', seq: 4, time: 5, data: { turn: 2, reason: { kind: 'interrupted' } } },
    ])
  })

  it('ends its open step first', () => {
    expect(closers(start(1), stepStart(1, 3)).map(({ type, data }) => [type, data])).toEqual([
      ['step/end', { turn: 1, step: 3 }],
      ['turn/end', { turn: 1, reason: { kind: 'interrupted' } }],
    ])
  })

  it('does not end a step that has ended', () => {
    expect(closers(start(1), stepStart(1, 1), stepEnd(1, 1)).map(({ type }) => type)).toEqual(['turn/end'])
  })

  it('leaves an open compaction alone', () => {
    const compaction = { type: 'compaction/start', data: { compactionId: 'c', turn: 1 } }
    expect(closers(start(1), compaction).map(({ type }) => type)).toEqual(['turn/end'])
  })

  it('is the last one started, when one was never ended', () => {
    expect(closers(start(1), stepStart(1, 1), start(2)).map(({ data }) => data)).toEqual([
      { turn: 2, reason: { kind: 'interrupted' } },
    ])
  })
})

describe('a call without a result', () => {
  it('gets one: of unknown outcome when it began, with the call as its source; else not started', () => {
    expect(results(calling('c1', 'c2', 'c3'), call('c2'), call('c1'), result('c1'))).toEqual([
      ['c2', 'TOOL_OUTCOME_UNKNOWN', [3]],
      ['c3', 'TOOL_NOT_STARTED', undefined],
    ])
  })

  it('gets it in full, in the order of keys that DSH writes', () => {
    const [closer] = closers(calling('a'), call('a'))
    const text = closer?.type === 'tool/result' && closer.data.message.content[0].content[0]
    expect(JSON.stringify(closer)).toBe(
      `{"type":"tool/result","seq":4,"time":${closer!.time},"data":{"turn":1,"step":1,"message":{"id":` +
        '"interrupted-tool-result-a-4","role":"user","source":{"kind":"tool","callId":"a"},"content":[{"type":' +
        `"tool-result","toolCallId":"a","isError":true,"content":[${JSON.stringify(text)}]}]},"error":{"name":` +
        '"ToolOutcomeUnknownError","code":"TOOL_OUTCOME_UNKNOWN"}},"surfaceOp":"append","sourceEventSeqs":[3]}',
    )
  })

  it('is told to the model in words', () => {
    const words = closers(calling('a', 'b'), call('a')).flatMap((event) =>
      event.type === 'tool/result' ? event.data.message.content[0].content : [],
    )
    expect(words).toEqual([
      { type: 'text', text: expect.stringContaining('nobody knows whether it took effect') },
      { type: 'text', text: expect.stringContaining('never started') },
    ])
  })

  it('of an earlier step is forgotten', () => {
    expect(results(calling('a'), stepEnd(1, 1), stepStart(1, 2))).toEqual([])
  })

  it('of an earlier turn is forgotten', () => {
    expect(results(calling('a'), start(2))).toEqual([])
  })

  it('that no answer made is not repaired', () => {
    expect(results(start(1), stepStart(1, 1), call('a'))).toEqual([])
  })

  it('made again has not started again, and keeps its place', () => {
    expect(results(calling('a', 'b'), call('a'), assistant([toolCall('a')]))).toEqual([
      ['a', 'TOOL_NOT_STARTED', undefined],
      ['b', 'TOOL_NOT_STARTED', undefined],
    ])
  })

  it.each([undefined, null, '', 5, {}, ['a']])('with the id %j can have no result', (id) => {
    expect(results(start(1), assistant([{ type: 'tool-call', id }]))).toEqual([])
  })

  it('names the step of its answer, not a later one', () => {
    const [closer] = closers(
      start(1),
      stepStart(1, 1),
      assistant([toolCall('a')], { turn: 1, step: 1 }),
      stepStart(1, 2),
    )
    expect(closer).toHaveProperty('data.step', 1)
  })
})

describe('a turn whose number no turn/end may carry', () => {
  const closed = (...drafts: (Draft | Draft[])[]): unknown => closers(...drafts).at(-1)?.data

  it.each([null, [], {}, { turn: 'x' }, { turn: 0 }, { turn: -1 }, { turn: 0.5 }, { turn: 2 ** 53 }])(
    'is closed as the next one: %j',
    (data) => {
      expect(closed(turn(3), { type: 'turn/start', data })).toEqual({ turn: 4, reason: { kind: 'interrupted' } })
    },
  )

  it('is the first when none came before', () => {
    expect(closed({ type: 'turn/start', data: null })).toHaveProperty('turn', 1)
  })

  it('is closed as the largest after the largest', () => {
    const last = Number.MAX_SAFE_INTEGER
    expect(closed(turn(last), { type: 'turn/start', data: null })).toHaveProperty('turn', last)
  })

  it('gives its results and the end of its step the same number', () => {
    const place = { turn: 0, step: 1 }
    const drafts = [
      { type: 'turn/start', data: { turn: 0 } },
      { type: 'step/start', data: place },
    ]
    const turns = closers(drafts, assistant([toolCall('a')], place)).map(({ data }) => (data as { turn: number }).turn)
    expect(turns).toEqual([1, 1, 1])
  })
})

describe('a step that is no number', () => {
  it.each([null, 'x', [1], undefined])('counts as 1: %j', (step) => {
    const place = { turn: 1, step }
    const drafts = [start(1), { type: 'step/start', data: place }, assistant([toolCall('a')], place)]
    expect(closers(drafts).map(({ data }) => (data as { step?: unknown }).step)).toEqual([1, 1, undefined])
  })
})

describe('closers', () => {
  it('leave no turn open in any log that append accepts', () => {
    fc.assert(
      fc.property(fc.oneof(realLog, acceptedLog), (events) => {
        expect(interruptedTurnClosers([...events, ...interruptedTurnClosers(events)])).toEqual([])
      }),
    )
  })

  it('may be appended to any log that append accepts, and read from a file then', () => {
    fc.assert(
      fc.property(fc.oneof(realLog, acceptedLog), (events) => {
        const closed = [...events, ...interruptedTurnClosers(events)]
        expect(admitSeed(closed, new Set())).toHaveProperty('log')
        expect(read(fileOf(closed)).length).toBe(closed.length)
      }),
    )
  })

  it('close the turn that the log says is open', () => {
    fc.assert(
      fc.property(fc.oneof(realLog, acceptedLog), (events) => {
        const last = interruptedTurnClosers(events).at(-1)
        expect((last?.data as { turn?: number } | undefined)?.turn).toBe(events.reduce(advanceTurn, NO_TURN).open)
      }),
    )
  })

  it('end in the turn/end, which is the only one', () => {
    fc.assert(
      fc.property(realLog, (events) => {
        const ends = interruptedTurnClosers(events).map(({ type }) => type === 'turn/end')
        expect(ends.indexOf(true)).toBe(ends.length - 1)
      }),
    )
  })

  it('answer every call of the open step', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 })
    fc.assert(
      fc.property(ids, (ids) => {
        expect(results(calling(...ids)).map(([callId]: any) => callId)).toEqual(ids)
      }),
    )
  })
})
