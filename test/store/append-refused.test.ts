import { describe, expect, test, vi } from 'vitest'
import { assistant, nested, result, user } from '../log/support.js'
import { overtake } from '../support/behind.js'
import { append, INVALID, open } from '../support/append.js'
import { tab } from '../support/lifetime.js'
import { appendTurn, user as userMessage } from '../support/logs.js'

describe('the surface intent', () => {
  test('is required for messages and tool results', async () => {
    const { session } = await open()
    for (const { type, data } of [user('hi'), assistant('hello'), result('c')]) {
      expect(() => append(session, type, data)).toThrow(expect.objectContaining(INVALID))
      append(session, type, data, { surfaceOp: 'append' })
    }
    expect(session.surface.nodes).toEqual([0, 1, 2])
  })

  test.each([{ surfaceOp: 'append' }, { sourceEventSeqs: [] }])('%j is refused for all others', async (intent) => {
    const { session } = await open()
    expect(() => append(session, 'turn/start', { turn: 1 }, intent)).toThrow(expect.objectContaining(INVALID))
  })

  test('replaces nodes that it lists', async () => {
    const { session } = await open()
    for (const text of ['a', 'b', 'c']) session.append('user/message', userMessage(text), { surfaceOp: 'append' })
    const replace = { op: 'replace', start: 0, end: 1 } as const
    expect(() =>
      session.append('user/message', userMessage('ab'), { surfaceOp: replace, sourceEventSeqs: [0] }),
    ).toThrow(expect.objectContaining(INVALID))
    session.append('user/message', userMessage('ab'), { surfaceOp: replace, sourceEventSeqs: [0, 1] })
    expect(session.surface).toEqual({ nodes: [3, 2], replaceGeneration: 1 })
  })

  test('keeps the order in which sources were given', async () => {
    const { session } = await open()
    session.append('turn/start', { turn: 1 })
    session.append('step/start', { turn: 1, step: 1 })
    session.append('user/message', userMessage('a'), { surfaceOp: 'append', sourceEventSeqs: [1, 0] })
    expect(session.at(2)).toMatchObject({ sourceEventSeqs: [1, 0] })
  })
})

describe('what is refused leaves the log as it was', () => {
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  test.each<[string, unknown, unknown, unknown?]>([
    ['an unknown type', 'my/own', {}],
    ['no type', undefined, {}],
    ['an obsolete type', 'steering/message', {}],
    ['the type of a chunk row', 'text-chunks', {}],
    ['no data', 'turn/start', undefined],
    ['an undefined property', 'todo/write', { todos: undefined }],
    ['-0', 'todo/write', { todos: [-0] }],
    ['NaN', 'todo/write', NaN],
    ['a bigint', 'todo/write', 1n],
    ['a function', 'todo/write', () => {}],
    ['a Date', 'todo/write', new Date()],
    ['a Map', 'todo/write', new Map()],
    ['a cycle', 'todo/write', cycle],
    ['a hole', 'todo/write', Array(1)],
    ['a symbol', 'todo/write', { [Symbol.iterator]: 1 }],
    ['more than 500 levels of nesting', 'todo/write', nested(501)],
    ['a message without id', 'user/message', { role: 'user', content: [], source: { kind: 'user' } }, 'append'],
    ['a message of another role', 'assistant/message', { message: user('x').data }, 'append'],
    [
      'a request header without a provider',
      'request/header',
      { header: { config: { model: 'm' } }, reason: 'initial' },
    ],
    ['an obsolete reason', 'request/header', { header: { config: { provider: 'p', model: 'm' } }, reason: 'fallback' }],
    ['a turn/end without a turn', 'turn/end', { reason: { kind: 'completed' } }],
    ['a turn/end with another field', 'turn/end', { turn: 1, reason: { kind: 'completed' }, more: 1 }],
    ['a turn/end whose reason says more than its kind', 'turn/end', { turn: 1, reason: { kind: 'blocked', more: 1 } }],
    ['sources that are not earlier', 'user/message', user('x').data, [1]],
  ])('%s', async (_, type, data, op) => {
    const { session } = await open()
    session.append('turn/start', { turn: 1 })
    const before = session.events
    const intent = Array.isArray(op) ? { surfaceOp: 'append', sourceEventSeqs: op } : op && { surfaceOp: op }
    expect(() => append(session, type, data, intent)).toThrow(expect.objectContaining(INVALID))
    expect(session.events).toBe(before)
    expect(session.append('turn/end', { turn: 1, reason: { kind: 'completed' } }).seq).toBe(1)
  })

  test('500 levels of nesting are accepted, stored and read again', async () => {
    const opened = await open()
    append(opened.session, 'todo/write', nested(500))
    await opened.store.flush(opened.session)
    expect((await (await tab(opened)).store.inspect('a')).events).toEqual(opened.session.events)
  })

  test('an event over 32 MiB', async () => {
    const { session } = await open()
    const todos = 'x'.repeat(32 * 1024 * 1024)
    expect(() => append(session, 'todo/write', { todos })).toThrow(expect.objectContaining(INVALID))
    expect(session.seq).toBe(0)
  })

  test('the size is that of its JSON in UTF-8', async () => {
    const { session } = await open()
    const third = 'x'.repeat(11 * 1024 * 1024)
    expect(() => append(session, 'todo/write', { todos: '\u{20ac}'.repeat(third.length) })).toThrow(
      expect.objectContaining(INVALID),
    )
    append(session, 'todo/write', { todos: third })
    expect(session.seq).toBe(1)
  })

  test('a getter that throws: its own error', async () => {
    const { session } = await open()
    const data = {
      get todos(): never {
        throw new RangeError('mine')
      },
    }
    expect(() => append(session, 'todo/write', data)).toThrow(new RangeError('mine'))
    expect(session.seq).toBe(0)
  })
})

describe('on a session that is not live', () => {
  test('after release: SESSION_NOT_LIVE', async () => {
    const { store, session } = await open()
    appendTurn(session, 'hi', 'hello')
    const { events } = session
    await store.release(session)
    expect(() => session.append('turn/start', { turn: 2 })).toThrow(
      expect.objectContaining({ name: 'SessionStoreError', code: 'SESSION_NOT_LIVE', sessionId: 'a' }),
    )
    expect(session.events).toBe(events)
  })

  test('after deletion: SESSION_NOT_LIVE', async () => {
    const { store, session } = await open()
    await store.delete('a')
    expect(() => session.append('turn/start', { turn: 1 })).toThrow(
      expect.objectContaining({ code: 'SESSION_NOT_LIVE' }),
    )
  })

  test('after another writer took over: SESSION_CONFLICT', async () => {
    const opened = await open()
    const { session } = opened
    appendTurn(session, 'hi', 'hello')
    await opened.store.flush(session)
    await overtake(await tab(opened), 'a')
    session.append('turn/start', { turn: 2 })
    await vi.waitFor(() => expect(session.state).toBe('conflict'))
    const { seq } = session
    expect(() => session.append('step/start', { turn: 2, step: 1 })).toThrow(
      expect.objectContaining({ name: 'SessionStoreError', code: 'SESSION_CONFLICT', sessionId: 'a' }),
    )
    expect(session.seq).toBe(seq)
  })
})
