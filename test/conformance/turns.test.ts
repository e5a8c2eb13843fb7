/** `spec` 11 F: the relations inside a turn. The companion is the pure `checkTurns` here; it vetoes nothing. */
import { expect, test } from 'vitest'
import { checkTurns } from 'idb-sessions/log'
import {
  call,
  end,
  log,
  replacing,
  result,
  start,
  stepEnd,
  stepStart,
  title,
  user,
  type Draft,
} from '../log/support.js'
import { live } from './support.js'

/** The seqs of the events that break a relation. */
const broken = (...drafts: (Draft | Draft[])[]): number[] => checkTurns(log(...drafts)).map(({ seq }) => seq)

const open = [start(1), stepStart(1, 1)]
const todo: Draft = { type: 'todo/write', data: { todos: [] } }

/** What stands for the result of a call that was never made. */
function notStarted(isError: boolean): Draft {
  const draft = result('c', 'text', { error: { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' } })
  const { message, ...rest } = draft.data as { message: { content: object[] } }
  return { ...draft, data: { ...rest, message: { ...message, content: [{ ...message.content[0], isError }] } } }
}

test('the first turn is 1 (case 71)', () => {
  expect(broken(start(2))).toEqual([0])
})

test('the second turn is 2 (case 71)', () => {
  expect(broken(start(1), end(1), start(3))).toEqual([2])
})

test('steps begin at 1 in each turn (case 71)', () => {
  expect(broken(open, stepEnd(1, 1), end(1), start(2), stepStart(2, 1), stepEnd(2, 1), end(2))).toEqual([])
})

test('steps do not go on from the turn before (case 71)', () => {
  expect(broken(open, stepEnd(1, 1), end(1), start(2), stepStart(2, 2))).toEqual([5])
})

test('a turn does not end while a step is open (case 72)', () => {
  expect(broken(open, end(1))).toEqual([2])
})

test('a step may end with a call that has no result (case 72)', () => {
  expect(broken(open, call('c'), stepEnd(1, 1))).toEqual([])
})

test('a call has one result (case 73)', () => {
  expect(broken(open, call('c'), result('c'), result('c'))).toEqual([4])
})

test('a call that never started may have a result that is an error (case 73)', () => {
  expect(broken(open, notStarted(true))).toEqual([])
})

test('a call that never started has no result that is none (case 73)', () => {
  expect(broken(open, notStarted(false))).toEqual([2])
})

test('todos are written inside a turn (case 74)', () => {
  expect(broken(todo)).toEqual([0])
})

test.each([user('x'), title('t')])('a $type may stand outside a turn (case 74)', (draft) => {
  expect(broken(draft)).toEqual([])
})

test('a tool result is replaced inside a turn (case 74)', () => {
  const log = [...open, call('c'), result('c'), stepEnd(1, 1), end(1)]
  expect(broken(log, replacing(result('c', 'short'), 3, 3, [3]))).toEqual([6])
})

test('a seed that breaks a relation is reported (case 75)', () => {
  expect(broken(start(2), end(2))).toEqual([0])
})

test('a seed that breaks a relation makes a session all the same, where the companion of DSH vetoes (case 75, differs)', async () => {
  const { store } = await live()
  await store.create('b', { seed: log(start(2), end(2)) })
  expect(store.get('b')?.state).toBe('live')
})
