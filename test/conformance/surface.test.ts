/** `spec` 11 B: what the model sees. */
import { expect, test } from 'vitest'
import { assistant, replacing, requestHeader, result, start, title, user, type Draft } from '../log/support.js'
import { append, expectRefused, live, told } from './support.js'

const citing = (draft: Draft, sourceEventSeqs: unknown): Draft => ({ ...draft, sourceEventSeqs })
const context = (data: object): Draft => ({ type: 'request/context', data })

test('a message without surfaceOp is refused (case 14)', async () => {
  const { session } = await live()
  const { type, data } = user('x')
  expectRefused(session, { type, data })
})

test('an assistant message may cite nothing (case 15)', async () => {
  const { session } = await live()
  expect(append(session, citing(assistant('x'), []))).toMatchObject({ sourceEventSeqs: [] })
})

test('a user message that cites nothing is refused (case 15)', async () => {
  const { session } = await live()
  expectRefused(session, citing(user('x'), []))
})

test.each([[[0, 0]], [[99, 99]]])('sources %j are duplicates, whether earlier or not (case 16)', async (sources) => {
  const { session } = await live([title('t')])
  expectRefused(session, citing(user('x'), sources), /duplicate/)
})

test('a source that is no seq is no integer (case 16)', async () => {
  const { session } = await live([title('t')])
  expectRefused(session, citing(user('x'), [-1]), /integer/)
})

test('sources keep the order in which they are given (case 17)', async () => {
  const { session } = await live([title('0'), title('1'), title('2')])
  expect(append(session, citing(user('x'), [2, 0]))).toMatchObject({ sourceEventSeqs: [2, 0] })
})

test('a replacement that does not cite every node it shadows is refused (case 18)', async () => {
  const { session } = await live([user('0'), user('1'), user('2'), user('3')])
  expectRefused(session, replacing(user('new'), 1, 2, [1]))
})

test('a replacement may cite more than it shadows; it stands where they stood (case 18)', async () => {
  const { session } = await live([user('0'), user('1'), user('2'), user('3')])
  append(session, replacing(user('new'), 1, 2, [0, 1, 2]))
  expect(session.surface).toEqual({ nodes: [0, 4, 3], replaceGeneration: 1 })
})

test('a replacement does not start at a log-only event (case 19)', async () => {
  const { session } = await live([title('t'), user('1')])
  expectRefused(session, replacing(user('new'), 0, 1, [0, 1]))
})

test('a replacement does not start at what is shadowed already (case 19)', async () => {
  const { session } = await live([user('0'), user('1'), replacing(user('new'), 0, 0, [0])])
  expectRefused(session, replacing(user('newer'), 0, 1, [0, 1]))
})

test('a tool result may be replaced by one with other content (case 21)', async () => {
  const { session } = await live([result('c', 'long')])
  append(session, replacing(result('c', 'short'), 0, 0, [0]))
  expect(session.surface.nodes).toEqual([1])
})

test.each<[string, (data: any) => unknown]>([
  // oxlint-disable-line typescript/no-explicit-any
  [
    'isError',
    ({ message, ...rest }) => ({
      ...rest,
      message: { ...message, content: [{ ...message.content[0], isError: true }] },
    }),
  ],
  ['meta', (data) => ({ ...data, meta: 1 })],
  ['its message id', ({ message, ...rest }) => ({ ...rest, message: { ...message, id: 'other' } })],
])('a tool result is not replaced by one that changes %s (case 21)', async (_, change) => {
  const { session } = await live([result('c', 'long')])
  const { type, data } = result('c', 'short')
  expectRefused(session, replacing({ type, data: change(data) }, 0, 0, [0]))
})

test('a tool result does not replace two (case 21)', async () => {
  const { session } = await live([result('c'), result('d')])
  expectRefused(session, replacing(result('c'), 0, 1, [0, 1]))
})

test('an answer without content stays on the surface (case 22)', async () => {
  const { session } = await live([user('x'), assistant([])])
  expect(session.surface.nodes).toEqual([0, 1])
})

test('an answer without content is no message (case 22)', async () => {
  const { session } = await live([user('x'), assistant([])])
  expect(told(session)).toEqual(['id of x'])
})

test('deriveMessages gives another array each time (case 23)', async () => {
  const { session } = await live([user('x')])
  expect(session.deriveMessages()).not.toBe(session.deriveMessages())
})

test('deriveMessages gives the same messages each time (case 23)', async () => {
  const { session } = await live([user('x')])
  expect(session.deriveMessages()[0]).toBe(session.deriveMessages()[0])
})

test('a context without a window clears the one before (case 24)', async () => {
  const { session } = await live([
    start(1),
    context({ provider: 'p', model: 'm', contextWindow: 9 }),
    context({ provider: 'p', model: 'm' }),
  ])
  expect(session.requestContext()).toEqual({ provider: 'p', model: 'm' })
})

test('an empty system, no tools and no defaults are folded away (case 25)', async () => {
  const { session } = await live([start(1), requestHeader({ system: '', tools: [], adapterDefaults: {} })])
  expect(session.requestHeader()).toEqual({ config: { provider: 'p', model: 'm' } })
})
