import { describe, expect, test, vi } from 'vitest'
import type { Session, SessionStore } from 'idb-sessions'
import { log, start, turn } from '../log/support.js'
import { overtake } from '../support/behind.js'
import { noRoom, watchCalls } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { trace } from '../support/trace.js'
import { appendTurn } from '../support/logs.js'

describe('the order of a life', () => {
  test('created, event, flush, disposed', async () => {
    const { store } = await page()
    const told = trace(store)
    const session = await store.create('a')
    session.append('turn/start', { turn: 1 })
    await store.flush(session)
    await store.release(session)
    expect(told).toEqual(['created a 0', 'event a 0 turn/start', 'flush a', 'flush a', 'disposed a released'])
  })

  test('a release is a flush first, and is refused when a listener of it fails', async () => {
    const { store } = await page()
    const session = await store.create('a')
    const off = store.on('session/flush', () => {
      throw new Error('not yet')
    })
    await expect(store.release(session)).rejects.toThrow('not yet')
    expect(session.state).toBe('live')
    off()
    await store.release(session)
    expect(session.state).toBe('released')
  })

  test.each<[string, (store: SessionStore, session: Session) => Promise<unknown>]>([
    ['release', (store, session) => store.release(session)],
    ['close', (store) => store.close()],
    ['delete', (store, session) => store.delete(session.id)],
  ])('a listener of the last flush may wait for %s', async (_name, call) => {
    const { store } = await page()
    const session = await store.create('a', { seed: log(turn(1)) })
    const off = store.on('session/flush', async () => {
      off()
      await call(store, session)
    })
    await store.release(session)
    expect(session.state).not.toBe('live')
  })

  test('a listener of the last flush that loads the session keeps it', async () => {
    const { store } = await page()
    const session = await store.create('a', { seed: log(turn(1)) })
    store.on('session/flush', async () => void (await store.load('a')))
    await store.release(session)
    expect(store.get('a')).toBe(session)
    await store.close()
    expect(session.state).toBe('released')
  })

  test('a release that fails fails for all who asked for it', async () => {
    const opened = await page()
    const { store } = opened
    const session = await store.create('a')
    session.append('plan/mode', { active: true })
    const makeRoom = noRoom(opened, 'append')
    const both = await Promise.allSettled([store.release(session), store.release(session)])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(session.state).toBe('live')
    makeRoom()
    await store.release(session)
    expect(session.state).toBe('released')
  })

  test('what a listener of the last flush appends is stored, and safe', async () => {
    const opened = await page()
    const { store } = opened
    const session = await store.create('a')
    store.on('session/flush', async () => {
      await opened.connection.call('ping')
      session.append('plan/mode', { active: true })
    })
    const calls = watchCalls(opened)
    await store.release(session)
    expect(calls.at(-1)).toBe('flush')
    expect((await store.inspect('a')).events).toHaveLength(1)
  })

  test('a seed, a fork and a load are told by created alone', async () => {
    const first = await page()
    const told = trace(first.store)
    const source = await first.store.create('a', { seed: log(turn(1)) })
    await first.store.fork(source, undefined, 'b')
    expect(told).toEqual(['created a 3', 'created b 3'])
    const second = await tab(first)
    const loading = trace(second.store)
    await second.store.load('b', { takeOver: true })
    expect(loading).toEqual(['created b 3'])
  })

  test('a session is live, whole and writable when created is told', async () => {
    const { store } = await page({ rules: 'harness' })
    store.on('session/created', (session) => {
      expect(store.get(session.id)).toBe(session)
      expect(session.state).toBe('live')
      expect(session.events.at(-1)?.type).toBe('session/end-seed')
    })
    await store.create('a', { seed: log(turn(1)) })
    await store.fork('a')
  })

  test('what a listener of created appends is stored with it', async () => {
    const first = await page()
    first.store.on('session/created', (session) => void session.append('plan/mode', { active: true }))
    const session = await first.store.create('a')
    const child = await first.store.fork(await first.store.create('s', { seed: log(turn(1)) }), 2, 'c')
    await first.store.flush(session)
    const other = await tab(first)
    expect((await other.store.inspect('a')).events).toEqual(session.events)
    expect((await other.store.inspect('c')).events).toEqual(child.events)
    expect(child.events).toHaveLength(4)
    expect(child.firstLiveSeq).toBe(3)
  })

  test('an event is in the log when it is told, and can be forked right there', async () => {
    const { store } = await page()
    const session = await store.create('a')
    let forked: Promise<unknown> | undefined
    store.on('session/event', (from, event) => {
      expect(from.at(event.seq)).toBe(event)
      if (event.type === 'turn/end') forked ??= store.fork(from, undefined, 'b')
    })
    appendTurn(session, 'hi', 'hello')
    const { length } = session.events
    appendTurn(session, 'more', 'text')
    await forked
    expect(store.get('b')?.events).toEqual(session.slice(0, length))
  })

  test('a session can be forked and flushed from inside its own created', async () => {
    const first = await page()
    let done: Promise<[Session, boolean]> | undefined
    const off = first.store.on('session/created', (session) => {
      off()
      done = Promise.all([first.store.fork(session), first.store.flush(session)])
    })
    const session = await first.store.create('a', { seed: log(turn(1)) })
    const [child, flushed] = await done!
    expect(flushed).toBe(true)
    expect((await (await tab(first)).store.inspect(child.id)).events).toEqual(session.events)
  })

  test('parallel loads tell created once', async () => {
    const first = await page()
    await first.store.create('a', { seed: log(turn(1)) })
    const second = await tab(first)
    const told = trace(second.store)
    const takeOver = { takeOver: true }
    await Promise.all([second.store.load('a', takeOver), second.store.load('a', takeOver)])
    expect(told).toEqual(['created a 3'])
  })

  test('a deleted session that was live is disposed as deleted', async () => {
    const { store } = await page()
    const told = trace(store)
    await store.create('a', { seed: log(turn(1)) })
    await store.delete('a')
    expect(told).toEqual(['created a 3', 'disposed a deleted'])
  })

  test('an overtaken session is disposed as in conflict', async () => {
    const first = await page()
    const told = trace(first.store)
    const session = await first.store.create('a', { seed: log(turn(1)) })
    await overtake(await tab(first), 'a')
    session.append('turn/start', { turn: 2 })
    await vi.waitFor(() => expect(told.at(-1)).toBe('disposed a conflict'))
    expect(first.store.get('a')).toBeUndefined()
  })
})

describe('get and list', () => {
  test('tell what is live here, in the order of creation', async () => {
    const { store } = await page()
    const b = await store.create('b', { seed: log(turn(1)) })
    const a = await store.create('a')
    const c = await store.fork(b)
    expect(store.list()).toEqual([b, a, c])
    expect(store.get('b')).toBe(b)
    expect(store.get('nobody')).toBeUndefined()
  })

  test('list gives a new array', async () => {
    const { store } = await page()
    await store.create('a')
    store.list().pop()
    expect(store.list()).toHaveLength(1)
    expect(store.list()).not.toBe(store.list())
  })

  test('do not tell what is only stored', async () => {
    const first = await page()
    await first.store.create('a', { seed: log(start(1)) })
    const { store } = await tab(first)
    expect(store.list()).toEqual([])
    expect(store.get('a')).toBeUndefined()
  })
})
