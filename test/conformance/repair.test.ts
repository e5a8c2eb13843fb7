/** `spec` 11 G: what closes a turn that a crash left open. */
import { describe, expect, test } from 'vitest'
import { interruptedTurnClosers, type SessionEvent } from 'idb-sessions'
import {
  assistant,
  call,
  log,
  result,
  start,
  stepEnd,
  stepStart,
  T0,
  toolCall,
  turn,
  type Draft,
} from '../log/support.js'

const close = (...drafts: (Draft | Draft[])[]): SessionEvent[] => interruptedTurnClosers(log(...drafts))
const closing = (...drafts: (Draft | Draft[])[]): string[] => close(...drafts).map(({ type }) => type)

const open = [start(1), stepStart(1, 1)]

test('an empty log needs nothing (case 76)', () => {
  expect(close()).toEqual([])
})

test('a balanced log needs nothing (case 76)', () => {
  expect(close(turn(1), turn(2))).toEqual([])
})

test('a turn that only started is ended at the time of the last event (case 77)', () => {
  const data = { turn: 4, reason: { kind: 'interrupted' } }
  expect(close(start(4))).toEqual([{ type: 'turn/end', seq: 1, time: T0, data }])
})

describe('of three calls, of which the second, then the first began, and the first was answered', () => {
  const answer = assistant(['c1', 'c2', 'c3'].map(toolCall))
  const closers = close(open, answer, call('c2'), call('c1'), result('c1'))

  test('the others get results, then step and turn end (case 78)', () => {
    expect(closers.map(({ type }) => type)).toEqual(['tool/result', 'tool/result', 'step/end', 'turn/end'])
  })

  test('the one that began is of unknown outcome and cites its call (case 78)', () => {
    const source = { kind: 'tool', callId: 'c2' }
    const data = { message: { source }, error: { code: 'TOOL_OUTCOME_UNKNOWN' } }
    expect(closers[0]).toMatchObject({ data, sourceEventSeqs: [3] })
  })

  test('the one that did not begin is not started (case 78)', () => {
    const source = { kind: 'tool', callId: 'c3' }
    expect(closers[1]).toMatchObject({ data: { message: { source }, error: { code: 'TOOL_NOT_STARTED' } } })
  })

  test('the one that did not begin cites nothing (case 78)', () => {
    expect(closers[1]).not.toHaveProperty('sourceEventSeqs')
  })
})

test('a call that no answer made gets no result (case 80)', () => {
  expect(closing(open, call('c'))).toEqual(['step/end', 'turn/end'])
})

test('calls of a step that ended are forgotten (case 81)', () => {
  expect(closing(open, assistant([toolCall('c')]), call('c'), stepEnd(1, 1))).toEqual(['turn/end'])
})

test('an open compaction is left alone (case 82)', () => {
  const compaction = { type: 'compaction/start', data: { compactionId: 'x', turn: null } }
  expect(closing(turn(1), compaction)).toEqual([])
})
