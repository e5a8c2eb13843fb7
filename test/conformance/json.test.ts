/** `spec` 11 A: lossless JSON and `append`. */
import { expect, test } from 'vitest'
import { isJsonValue, snapshotJsonValue } from 'idb-sessions/log'
import { nested, requestHeader, start, type Draft } from '../log/support.js'
import { append, expectRefused, live } from './support.js'

const todos = (data: unknown): Draft => ({ type: 'todo/write', data })

test('-0 anywhere in data is refused, and seq stays (case 1)', async () => {
  const { session } = await live()
  expectRefused(session, todos({ todos: [{ deep: [-0] }] }))
})

test('an own property that is undefined is refused, not dropped (case 2)', async () => {
  const { session } = await live()
  expectRefused(session, todos({ todos: [], more: undefined }))
})

test('an object without prototype is stored with the ordinary one (case 3)', async () => {
  const { session } = await live()
  const { data } = append(session, todos(Object.assign(Object.create(null), { todos: [] })))
  expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
})

test('an object that is used twice becomes two (case 4)', async () => {
  const { session } = await live()
  const shared = { content: 'x' }
  const [first, second] = append(session, todos([shared, shared])).data as unknown as object[]
  expect(first).toEqual(second)
  expect(first).not.toBe(second)
})

test('an object that contains itself is refused, without an overflow (case 5)', async () => {
  const { session } = await live()
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  expectRefused(session, todos(cycle))
})

test('100,000 levels are lossless JSON (case 5)', () => {
  expect(isJsonValue(nested(100_000))).toBe(true)
})

test('an event takes 500 levels (case 5)', async () => {
  const { session } = await live()
  append(session, todos(nested(500)))
  expect(session.seq).toBe(1)
})

test('an event refuses 501 levels, which DSH takes (case 5, differs)', async () => {
  const { session } = await live()
  expectRefused(session, todos(nested(501)))
})

test('an array with a named property is refused (case 6)', async () => {
  const { session } = await live()
  expectRefused(session, todos(Object.assign([1], { named: 2 })))
})

test('an array with a hole is refused (case 6)', async () => {
  const { session } = await live()
  expectRefused(session, todos(Array(2)))
})

test('changing what was appended changes no log (case 9)', async () => {
  const { session } = await live()
  const data = { todos: [{ content: 'x' }] }
  append(session, todos(data))
  data.todos[0]!.content = 'changed'
  expect(session.at(0)!.data).toEqual({ todos: [{ content: 'x' }] })
})

test('writing to the returned event throws, also deep inside (case 9)', async () => {
  const { session } = await live()
  const { data } = append(session, todos({ todos: [{ content: 'x' }] })) as { data: { todos: { content: string }[] } }
  expect(() => {
    data.todos[0]!.content = 'changed'
  }).toThrow(TypeError)
})

test('events is the same array until an append (case 10)', async () => {
  const { session } = await live([start(1)])
  expect(session.events).toBe(session.events)
})

test('events after an append is a new array, and the old one keeps its length (case 10)', async () => {
  const { session } = await live([start(1)])
  const before = session.events
  append(session, todos({ todos: [] }))
  expect([before.length, session.events.length]).toEqual([1, 2])
})

test('an append to a released session throws, where DSH appends into nowhere (case 11, differs)', async () => {
  const { store, session } = await live()
  await store.release(session)
  expect(() => append(session, start(1))).toThrow(expect.objectContaining({ code: 'SESSION_NOT_LIVE' }))
})

test('an append to a released session publishes nothing (case 11)', async () => {
  const { store, session } = await live()
  await store.release(session)
  const published: unknown[] = []
  store.on('session/event', (_, event) => void published.push(event))
  expect(() => append(session, start(1))).toThrow()
  expect(published).toEqual([])
})

test('a log-only event with a surfaceOp is refused (case 12)', async () => {
  const { session } = await live()
  expectRefused(session, { ...start(1), surfaceOp: 'append' })
})

test('unknown keys of the intent are ignored (case 12)', async () => {
  const { session } = await live()
  const { type, data } = start(1)
  const event = append(session, { type, data, unknown: true } as Draft)
  expect(Object.keys(event)).toEqual(['type', 'seq', 'time', 'data'])
})

test("a request/header with reason 'fallback' is refused (case 13)", async () => {
  const { session } = await live()
  const { type, data } = requestHeader()
  expectRefused(session, { type, data: { ...(data as object), reason: 'fallback' } })
})

test('a request/header without a provider is refused, which DSH takes and cannot load (case 13, differs)', async () => {
  const { session } = await live()
  expectRefused(session, requestHeader({ config: { model: 'm' } }))
})

test('an event over 32 MiB as JSON is refused, which DSH takes (section 1.3, differs)', async () => {
  const { session } = await live()
  expectRefused(session, todos('x'.repeat(32 * 1024 * 1024)))
})

test('a snapshot of what is no lossless JSON is undefined (cases 1, 2, 5 and 6)', () => {
  const given = [-0, { a: undefined }, Array(1)]
  expect(given.map(snapshotJsonValue)).toEqual([undefined, undefined, undefined])
})
