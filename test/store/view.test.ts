import { describe, expect, test, vi } from 'vitest'
import type { SurfaceIntent } from 'idb-sessions'
import { assistant, endSeed, log, requestHeader, start, turn, user, type Draft } from '../log/support.js'
import { gate, beforeCall } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn, user as userMessage } from '../support/logs.js'

const APPEND: SurfaceIntent = { surfaceOp: 'append' }

async function open(...drafts: (Draft | Draft[])[]) {
  const opened = await page()
  return { ...opened, session: await opened.store.create('a', { seed: log(...drafts), meta: { cwd: '/x' } }) }
}

describe('events', () => {
  test('is the same frozen array until the log grows', async () => {
    const { session } = await open(turn(1))
    const before = session.events
    expect(session.events).toBe(before)
    expect(Object.isFrozen(before)).toBe(true)
    session.append('turn/start', { turn: 2 })
    expect(session.events).not.toBe(before)
    expect(before).toHaveLength(3)
    expect(session.events).toHaveLength(4)
  })

  test('is not another session’s: a fork does not grow with its source', async () => {
    const { store, session } = await open(turn(1))
    const child = await store.fork(session)
    session.append('turn/start', { turn: 2 })
    expect(child.events).toHaveLength(3)
  })
})

test('at gives one event, or undefined', async () => {
  const { session } = await open(turn(1))
  expect(session.at(1)).toBe(session.events[1])
  expect(session.at(3)).toBeUndefined()
  expect(session.at(-1)).toBeUndefined()
})

test('slice takes positions as Array.slice does, and gives a new array', async () => {
  const { session } = await open(turn(1))
  const { events } = session
  expect(session.slice(1)).toEqual(events.slice(1))
  expect(session.slice(0, 2)).toEqual(events.slice(0, 2))
  expect(session.slice(-1)).toEqual(events.slice(-1))
  expect(session.slice(0)).not.toBe(events)
})

test('header is deeply frozen', async () => {
  const { session } = await open()
  expect(() => ((session.header as { cwd: string }).cwd = '/y')).toThrow(TypeError)
  expect(session.header.cwd).toBe('/x')
})

describe('turn', () => {
  test('tells the open turn and step, and the next number', async () => {
    const { session } = await open()
    expect(session.turn).toEqual({ next: 1 })
    session.append('turn/start', { turn: 1 })
    expect(session.turn).toEqual({ open: 1, next: 2 })
    session.append('step/start', { turn: 1, step: 1 })
    expect(session.turn).toEqual({ open: 1, step: 1, next: 2 })
    session.append('step/end', { turn: 1, step: 1 })
    expect(session.turn).toEqual({ open: 1, next: 2 })
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } })
    expect(session.turn).toEqual({ next: 2 })
  })

  test('goes on from what was inherited', async () => {
    const { store, session } = await open(turn(1), turn(2))
    expect((await store.fork(session)).turn).toEqual({ next: 3 })
    expect((await store.fork(session, 2)).turn).toEqual({ next: 2 })
  })
})

describe('messages', () => {
  test('are those that the surface shows, the logged objects themselves', async () => {
    const { session } = await open(turn(1, user('hi'), assistant('hello')))
    expect(session.messages).toHaveLength(2)
    expect(session.messages[0]).toBe(session.at(1)!.data)
    expect(session.messages[1]).toBe((session.at(2)!.data as { message: unknown }).message)
  })

  test('are the same frozen array until they change', async () => {
    const { session } = await open(turn(1))
    const before = session.messages
    expect(Object.isFrozen(before)).toBe(true)
    session.append('turn/start', { turn: 2 })
    expect(session.messages).toBe(before)
    session.append('user/message', userMessage('more'), APPEND)
    expect(session.messages).not.toBe(before)
    expect(session.messages).toHaveLength(2)
  })

  test('leave out an answer without content, which stays on the surface', async () => {
    const { session } = await open(turn(1, user('hi'), assistant([])))
    expect(session.messages).toHaveLength(1)
    expect(session.surface.nodes).toEqual([1, 2])
  })

  test('follow a replacement', async () => {
    const { session } = await open(turn(1, user('a'), user('b')))
    session.append('user/message', userMessage('ab'), {
      surfaceOp: { op: 'replace', start: 1, end: 2 },
      sourceEventSeqs: [1, 2],
    })
    expect(session.messages).toEqual([session.at(4)!.data])
    expect(session.surface).toEqual({ nodes: [4], replaceGeneration: 1 })
  })

  test('deriveMessages gives a new array of the same objects', async () => {
    const { session } = await open(turn(1))
    const derived = session.deriveMessages()
    expect(derived).toEqual(session.messages)
    expect(derived).not.toBe(session.messages)
    expect(session.deriveMessages()).not.toBe(derived)
    expect(derived[0]).toBe(session.messages[0])
  })
})

test('surface is the same frozen object until it changes', async () => {
  const { session } = await open(turn(1))
  const before = session.surface
  session.append('turn/start', { turn: 2 })
  expect(session.surface).toBe(before)
  expect(Object.isFrozen(before.nodes)).toBe(true)
  session.append('user/message', userMessage('more'), APPEND)
  expect(session.surface.nodes).toEqual([...before.nodes, 4])
})

describe('the request', () => {
  test('header is the last one in canonical form', async () => {
    const { session } = await open(requestHeader({ system: 'old' }), requestHeader({ system: '', tools: [] }))
    expect(session.requestHeader()).toEqual({ config: { provider: 'p', model: 'm' } })
    expect(Object.isFrozen(session.requestHeader())).toBe(true)
  })

  test('context is the last one, whole', async () => {
    const { session } = await open()
    session.append('request/context', { provider: 'p', model: 'm', contextWindow: 9 })
    session.append('request/context', { provider: 'p', model: 'm' })
    expect(session.requestContext()).toEqual({ provider: 'p', model: 'm' })
  })

  test('is undefined before there was one', async () => {
    const { session } = await open()
    expect(session.requestHeader()).toBeUndefined()
    expect(session.requestContext()).toBeUndefined()
  })
})

describe('durable', () => {
  test('counts what is known to be stored, and nothing else', async () => {
    const opened = await open()
    const { session, store } = opened
    const { opened: answered, open: answer } = gate()
    beforeCall(opened, 'append', () => answered)
    appendTurn(session, 'hi', 'hello')
    expect(session.durable).toBe(0)
    answer()
    await store.flush(session)
    expect(session.durable).toBe(session.seq)
  })

  test('of a loaded session is its length', async () => {
    const opened = await open(turn(1))
    const loaded = await (await tab(opened)).store.load('a', { takeOver: true })
    expect(loaded).toMatchObject({ seq: 3, durable: 3 })
  })
})

test('firstLiveSeq is where this lifetime begins, however the log grows', async () => {
  const { store, session } = await open(turn(1))
  appendTurn(session, 'hi', 'hello')
  expect(session.firstLiveSeq).toBe(3)
  const child = await store.fork(session)
  expect(child.firstLiveSeq).toBe(session.seq)
})

describe('subscribe', () => {
  test('is bound, and tells of growth', async () => {
    const { session } = await open()
    const { subscribe } = session
    const listener = vi.fn()
    subscribe(listener)
    session.append('turn/start', { turn: 1 })
    await vi.waitFor(() => expect(listener).toHaveBeenCalled())
  })

  test('tells at most once per frame', async () => {
    const { session } = await open()
    const listener = vi.fn()
    session.subscribe(listener)
    const turnNumber = beginTurn(session, 'hi')
    const chunk = { type: 'text-delta', index: 0, text: 'a' } as const
    for (let i = 0; i < 500; i++) session.append('assistant/chunk', { turn: turnNumber, step: 1, chunk })
    expect(listener).not.toHaveBeenCalled()
    await vi.waitFor(() => expect(session.durable).toBe(session.seq))
    await vi.waitFor(() => expect(listener).toHaveBeenCalled())
    expect(listener.mock.calls.length).toBeLessThan(50)
  })

  test('tells of durability', async () => {
    const opened = await open()
    const { session } = opened
    const { opened: answered, open: answer } = gate()
    beforeCall(opened, 'append', () => answered)
    const seen: number[] = []
    session.subscribe(() => seen.push(session.durable))
    session.append('turn/start', { turn: 1 })
    await vi.waitFor(() => expect(seen).toEqual([0]))
    answer()
    await vi.waitFor(() => expect(seen).toEqual([0, 1]))
  })

  test('tells of a new state', async () => {
    const { session, store } = await open(turn(1))
    const seen: string[] = []
    session.subscribe(() => seen.push(session.state))
    await store.release(session)
    await vi.waitFor(() => expect(seen).toEqual(['released']))
  })

  test('returns what ends it', async () => {
    const { session } = await open()
    const [gone, stays] = [vi.fn(), vi.fn()]
    session.subscribe(gone)()
    session.subscribe(stays)
    session.append('turn/start', { turn: 1 })
    await vi.waitFor(() => expect(stays).toHaveBeenCalled())
    expect(gone).not.toHaveBeenCalled()
  })

  test('goes on when a subscriber fails', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { session } = await open()
    const second = vi.fn()
    session.subscribe(() => {
      throw new Error('mine')
    })
    session.subscribe(second)
    session.append('turn/start', { turn: 1 })
    await vi.waitFor(() => expect(second).toHaveBeenCalled())
    expect(reported).toHaveBeenCalled()
    reported.mockRestore()
  })
})

test('close lets go of a live session, as release does', async () => {
  const { session, store } = await open(turn(1))
  session.close()
  await vi.waitFor(() => expect(session.state).toBe('released'))
  expect(store.get('a')).toBeUndefined()
})

test('everything can still be read after release', async () => {
  const { session, store } = await open(turn(1), endSeed, start(2))
  const before = { events: session.events, messages: session.messages, surface: session.surface, turn: session.turn }
  await store.release(session)
  expect(session.events).toBe(before.events)
  expect(session.messages).toBe(before.messages)
  expect(session.surface).toBe(before.surface)
  expect(session.turn).toEqual({ open: 2, next: 3 })
  expect(session.id).toBe('a')
})
