/** Old shapes in a file and what they are read as (`spec` 6.8); checked against the published packages. */
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from 'idb-sessions'
import { admitAppend, admitSeed } from '../../lib/log/admit.js'
import { LogIntake } from '../../lib/log/intake.js'
import { decodeLines } from '../../lib/log/jsonl.js'

const HEADER = JSON.stringify({ type: 'session', version: 0, id: 'h', createdAt: 1, delegationDepth: 0 })
const APPEND = { surfaceOp: 'append' }
const CALL = { turn: 1, step: 1, callId: 'c', content: [], isError: false }
const PROVENANCE = { provider: 'p', model: 'm' }

describe('an old shape is read as the present one', () => {
  it.each<[string, string, object, object]>([
    ['the trigger of a turn/start is dropped', 'turn/start', { turn: 1, trigger: { kind: 'message' } }, { turn: 1 }],
    [
      'aborted without a reason',
      'turn/end',
      end({ kind: 'aborted' }),
      end({ kind: 'aborted', reason: { kind: 'legacy' } }),
    ],
    ['disposed', 'turn/end', end({ kind: 'disposed' }), end({ kind: 'aborted', reason: { kind: 'disposed' } })],
    [
      'an error with its failure',
      'turn/end',
      end({ kind: 'error', step: 1, failure: { message: 'm', code: 'C', status: 500 } }),
      end({ kind: 'error', error: { message: 'm', code: 'C', status: 500 } }),
    ],
    [
      'an error with a message and no code',
      'turn/end',
      end({ kind: 'error', step: 1, message: 'm' }),
      end({ kind: 'error', error: { message: 'm', code: 'UNKNOWN' } }),
    ],
    [
      'an error with a message and a code',
      'turn/end',
      end({ kind: 'error', step: 1, message: 'm', code: 'C' }),
      end({ kind: 'error', error: { message: 'm', code: 'C' } }),
    ],
  ])('%s', (_name, type, old, present) => {
    expect(readOne(type, old)).toMatchObject({ type, data: present })
  })

  it('a user message gets an id that names session and seq, and its role', () => {
    const { data } = readOne('user/message', { content: [], source: { kind: 'user' } }, APPEND)
    expect(data).toEqual({ content: [], source: { kind: 'user' }, id: 'legacy-message:h:0', role: 'user' })
  })

  it.each([
    ['flat', { turn: 1, content: [], source: { kind: 'user' } }],
    ['wrapped', { turn: 1, message: { content: [], source: { kind: 'user' } } }],
  ])('a steering/message, %s, becomes a user message', (_form, old) => {
    expect(readOne('steering/message', old, APPEND)).toMatchObject({
      type: 'user/message',
      data: { id: 'legacy-message:h:0', role: 'user', content: [], source: { kind: 'user' } },
    })
  })

  it('the provenance of an assistant message becomes its source; the rest of the data stays', () => {
    const old = { turn: 1, step: 1, content: [], provenance: PROVENANCE, interrupted: true }
    const message = {
      id: 'legacy-message:h:0',
      role: 'assistant',
      content: [],
      source: { ...PROVENANCE, kind: 'model' },
    }
    expect(readOne('assistant/message', old, APPEND).data).toEqual({ turn: 1, step: 1, interrupted: true, message })
  })

  it('a tool result is wrapped into a message; error and meta stay beside it', () => {
    const block = { type: 'tool-result', toolCallId: 'c', content: [], isError: false }
    expect(readOne('tool/result', { ...CALL, meta: { a: 1 } }, APPEND).data).toEqual({
      turn: 1,
      step: 1,
      meta: { a: 1 },
      message: { id: 'legacy-message:h:0', role: 'user', content: [block], source: { kind: 'tool', callId: 'c' } },
    })
  })

  it('a replacing tool result inherits the message id of its target, over several steps', () => {
    const replace = (seq: number): object => ({
      sourceEventSeqs: [seq],
      surfaceOp: { op: 'replace', start: seq, end: seq },
    })
    const events = read([
      line(0, 'tool/result', CALL, APPEND),
      line(1, 'tool/result', CALL, replace(0)),
      line(2, 'tool/result', CALL, replace(1)),
    ]) as SessionEvent<'tool/result'>[]
    expect(events.map(({ data }) => data.message.id)).toEqual(Array(3).fill('legacy-message:h:0'))
  })
})

describe('an old shape that is malformed is refused', () => {
  it.each<[string, string, object]>([
    ['a trigger and an unknown field', 'turn/start', { turn: 1, trigger: { kind: 'message' }, foo: 1 }],
    ['a trigger without a kind', 'turn/start', { turn: 1, trigger: {} }],
    ['a trigger and no turn', 'turn/start', { trigger: { kind: 'message' } }],
    ['aborted with an unknown field', 'turn/end', end({ kind: 'aborted', foo: 1 })],
    ['disposed with an unknown field', 'turn/end', end({ kind: 'disposed', foo: 1 })],
    ['an error without a step', 'turn/end', end({ kind: 'error', message: 'm' })],
    ['an error with a message and a failure', 'turn/end', end({ kind: 'error', step: 1, message: 'm', failure: {} })],
    ['an error with neither', 'turn/end', end({ kind: 'error', step: 1 })],
    ['an old reason beside an unknown field', 'turn/end', { ...end({ kind: 'aborted' }), foo: 1 }],
    ['steering with an unknown field', 'steering/message', { turn: 1, content: [], source: { kind: 'user' }, foo: 1 }],
    ['an assistant message without provenance', 'assistant/message', { turn: 1, step: 1, content: [] }],
    ['a tool result without isError', 'tool/result', { turn: 1, step: 1, callId: 'c', content: [] }],
    ['a user message with a role and no id', 'user/message', { content: [], source: { kind: 'user' }, role: 'user' }],
  ])('%s', (_name, type, old) => {
    expect(() => readOne(type, old, /message|result/.test(type) ? APPEND : {})).toThrow(
      expect.objectContaining({ code: 'INVALID_LOG', line: 2 }),
    )
  })
})

/** Run by DSH itself in `test/oracle/cases/ends.mjs`. */
describe('the data of a turn/end is exactly a turn ≥ 1 and a reason with a kind', () => {
  const DONE = { kind: 'completed' }
  const NONE: ReadonlySet<string> = new Set()

  describe.each<[string, object]>([
    ['no field', {}],
    ['no turn', { reason: DONE }],
    ['turn 0', { turn: 0, reason: DONE }],
    ['a fractional turn', { turn: 1.5, reason: DONE }],
    ['a turn as text', { turn: '1', reason: DONE }],
    ['a turn beyond the safe integers', { turn: 2 ** 53, reason: DONE }],
    ['no reason', { turn: 1 }],
    ['a reason that is no object', { turn: 1, reason: 'completed' }],
    ['a reason that is an array', { turn: 1, reason: [] }],
    ['a reason without a kind', { turn: 1, reason: {} }],
    ['a kind that is no text', { turn: 1, reason: { kind: 1 } }],
    ['another key', { turn: 1, reason: DONE, more: 1 }],
    ['another key beside a kind of an application', { turn: 1, reason: { kind: 'mine' }, more: 1 }],
    ['another key in completed', end({ kind: 'completed', more: 1 })],
    ['another key in blocked', end({ kind: 'blocked', more: 1 })],
    ['another key in max-tokens', end({ kind: 'max-tokens', more: 1 })],
    ['another key in interrupted', end({ kind: 'interrupted', more: 1 })],
  ])('so with %s', (_name, data) => {
    it('append refuses it', () => {
      const appended = { type: 'turn/end', data, intent: undefined }
      expect(admitAppend(appended, 0, 1, NONE)).toHaveProperty('reason', expect.stringContaining('turn/end'))
    })

    it('a seed with it is refused at its index', () => {
      const seed = read([line(0, 'turn/start', { turn: 1 })])
      expect(admitSeed([...seed, { type: 'turn/end', seq: 1, time: 1, data }], NONE)).toHaveProperty('index', 1)
    })

    it('a file with it is refused at its line', () => {
      expect(() => read([line(0, 'turn/start', { turn: 1 }), line(1, 'turn/end', data)])).toThrow(
        expect.objectContaining({ code: 'INVALID_LOG', line: 3 }),
      )
    })
  })

  describe.each<[string, unknown]>([
    ['null', null],
    ['an array', []],
    ['text', 'x'],
    ['a turn that is not the open one', { turn: 7, reason: DONE }],
    ['the largest safe integer', { turn: Number.MAX_SAFE_INTEGER, reason: DONE }],
    ['its keys in another order', { reason: DONE, turn: 1 }],
    ['a kind of an application, with more', end({ kind: 'mine', more: 1 })],
    ['an empty kind', end({ kind: '' })],
    ['a reason of aborted, with more', end({ kind: 'aborted', reason: { kind: 'user' }, more: 1 })],
    ['an error, with more', end({ kind: 'error', error: { message: 'm', code: 'C' }, more: 1 })],
  ])('it may be %s', (_name, data) => {
    it('for append', () => {
      expect(admitAppend({ type: 'turn/end', data, intent: undefined }, 0, 1, NONE)).toHaveProperty('event.data', data)
    })

    it('in a file, where it stays as it is', () => {
      expect(JSON.stringify(readOne('turn/end', data).data)).toBe(JSON.stringify(data))
    })
  })
})

describe('what looks present is left alone', () => {
  it.each<[string, object]>([
    ['a turn/start with an unknown field', { turn: 1, foo: 1 }],
    ['a turn/start without data of that shape', []],
  ])('%s', (_name, data) => {
    expect(readOne('turn/start', data).data).toEqual(data)
  })
})

it('a segment with an upgraded line keeps the lines as they came', () => {
  const lines = [
    line(0, 'turn/start', { turn: 1, trigger: { kind: 'message' } }),
    line(1, 'turn/end', end({ kind: 'completed' })),
  ]
  const [segment] = segmentsOf(lines)
  expect(new TextDecoder().decode(segment!.original)).toBe(`${lines.join('\n')}\n`)
})

it('a segment of present shapes keeps its lines once', () => {
  expect(segmentsOf([line(0, 'turn/start', { turn: 1 })])[0]).not.toHaveProperty('original')
})

function end(reason: object): object {
  return { turn: 1, reason }
}

function line(seq: number, type: string, data: unknown, more: object = {}): string {
  return JSON.stringify({ type, seq, time: 1, data, ...more })
}

function readOne(type: string, data: unknown, more: object = {}): SessionEvent {
  return read([line(0, type, data, more)])[0]!
}

function read(lines: readonly string[]): SessionEvent[] {
  return segmentsOf(lines).flatMap(({ bytes }) => decodeLines(bytes))
}

function segmentsOf(lines: readonly string[]): ReturnType<LogIntake['takeSegments']> {
  const intake = new LogIntake([])
  intake.write(new TextEncoder().encode(`${[HEADER, ...lines].join('\n')}\n`))
  intake.end()
  return intake.takeSegments()
}
