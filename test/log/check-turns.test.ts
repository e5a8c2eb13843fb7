/** The relations of `spec` 4 and its cases 71 to 75. */
import { checkTurns } from 'idb-sessions/log'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { interruptedTurnClosers, type SessionEvent } from 'idb-sessions'
import { log, realLog, turn } from './support.js'

type Draft = [type: string, data: unknown, more?: object]

const T = (n: unknown): Draft => ['turn/start', { turn: n }]
const E = (n: unknown): Draft => ['turn/end', { turn: n, reason: { kind: 'completed' } }]
const S = (n: number, step: number): Draft => ['step/start', { turn: n, step }]
const F = (n: number, step: number): Draft => ['step/end', { turn: n, step }]
const call = (id: string): Draft => ['tool/call', { turn: 1, step: 1, callId: id, name: 'x', arguments: '{}' }]
const result = (id: string, more: { isError?: boolean; code?: string; op?: unknown; step?: number } = {}): Draft => {
  const { isError = false, code, op = 'append', step = 1 } = more
  const block = { type: 'tool-result', toolCallId: id, content: [], isError }
  const message = { id: 'm', role: 'user', source: { kind: 'tool', callId: id }, content: [block] }
  const error = code === undefined ? {} : { error: { name: 'E', code } }
  return ['tool/result', { turn: 1, step, message, ...error }, { surfaceOp: op }]
}

describe('nothing is wrong with', () => {
  it.each<[string, Draft[]]>([
    ['an empty log', []],
    ['two turns in a row', [T(1), E(1), T(2), E(2)]],
    [
      'steps that begin at 1 in each turn',
      [T(1), S(1, 1), F(1, 1), S(1, 2), F(1, 2), E(1), T(2), S(2, 1), F(2, 1), E(2)],
    ],
    ['an open turn', [T(1), S(1, 1)]],
    ['a call and its result', [T(1), S(1, 1), call('c'), result('c'), F(1, 1), E(1)]],
    ['a call that is not answered', [T(1), S(1, 1), call('c'), F(1, 1), E(1)]],
    ['a synthetic result', [T(1), S(1, 1), result('c', { isError: true, code: 'TOOL_NOT_STARTED' })]],
    ['a replacing result in any open turn', [T(1), result('c', { op: { op: 'replace', start: 0, end: 0 } })]],
    ['a title outside a turn', [['session/title', {}]]],
    ['a marker inside a turn', [T(1), ['session/end-seed', {}], E(1)]],
    ['an unknown type', [['own/type', null]]],
  ])('%s', (_name, drafts) => {
    expect(checkTurns(events(drafts))).toEqual([])
  })
})

describe('a violation is', () => {
  it.each<[string, Draft[], number]>([
    ['a first turn that is not 1', [T(2)], 0],
    ['a second turn that is not 2', [T(1), E(1), T(3)], 2],
    ['a turn inside a turn', [T(1), T(2)], 1],
    ['an end without a turn', [E(1)], 0],
    ['the end of another turn', [T(1), E(2)], 1],
    ['an end while a step is open', [T(1), S(1, 1), E(1)], 2],
    ['a step outside a turn', [S(1, 1)], 0],
    ['a step of another turn', [T(1), S(2, 1)], 1],
    ['a first step that is not 1', [T(1), S(1, 2)], 1],
    ['a step inside a step', [T(1), S(1, 1), S(1, 2)], 2],
    ['the end of another step', [T(1), S(1, 1), F(1, 2)], 2],
    ['a chunk outside a step', [T(1), ['assistant/chunk', { turn: 1, step: 1, chunk: {} }]], 1],
    ['an answer of another step', [T(1), S(1, 1), ['assistant/message', { turn: 1, step: 2 }]], 2],
    ['a call outside a step', [T(1), call('c')], 1],
    ['a result without a call', [T(1), S(1, 1), result('c')], 2],
    ['a second result for a call', [T(1), S(1, 1), call('c'), result('c'), result('c')], 4],
    ['a result in a later step', [T(1), S(1, 1), call('c'), F(1, 1), S(1, 2), result('c', { step: 2 })], 5],
    ['a synthetic result that is no error', [T(1), S(1, 1), result('c', { code: 'TOOL_NOT_STARTED' })], 2],
    ['a replacing result outside a turn', [result('c', { op: { op: 'replace', start: 0, end: 0 } })], 0],
    ['a todo list outside a turn', [['todo/write', { todos: [] }]], 0],
    ['a request header outside a turn', [['request/header', {}]], 0],
    ['a request context outside a turn', [['request/context', {}]], 0],
    ['a turn whose data is no object', [['turn/start', null]], 0],
    ['an end whose data is no object, without a turn', [['turn/end', null]], 0],
  ])('%s', (_name, drafts, seq) => {
    expect(checkTurns(events(drafts)).map((violation) => violation.seq)).toEqual([seq])
  })

  it('a seq that is not greater than the one before', () => {
    const [event] = events([['session/title', {}]])
    expect(checkTurns([event!, event!])).toEqual([
      { seq: 0, rule: 'session/title: its seq is greater than all before it' },
    ])
  })
})

it('a violation says which rule it breaks', () => {
  expect(checkTurns(events([T(1), E(1), T(3)]))).toEqual([
    { seq: 2, rule: 'turn/start: its number is the next one, 2' },
  ])
})

it('after a violation the check goes on from what the event says', () => {
  expect(checkTurns(events([T(7), E(7), T(8), E(8)]))).toHaveLength(1)
})

it('a log that is valid stays so with its closers', () => {
  const open = log(turn(1)).slice(0, -1)
  expect(checkTurns([...open, ...interruptedTurnClosers(open)])).toEqual([])
})

it('any log that can be stored can be checked', () => {
  fc.assert(fc.property(realLog, (any) => Array.isArray(checkTurns(any))))
})

function events(drafts: readonly Draft[]): SessionEvent[] {
  return drafts.map(([type, data, more], seq) => ({ type, seq, time: 1, data, ...more }) as unknown as SessionEvent)
}
