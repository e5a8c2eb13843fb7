import { describe, expect, test, vi } from 'vitest'
import { log, turn } from '../log/support.js'
import { overtake } from '../support/behind.js'
import { beforeCall, gate, noRoom, watchCalls } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'
import { countRecords } from '../support/page.js'

async function open() {
  const opened = await page()
  return { ...opened, session: await opened.store.create('a') }
}

describe('flush', () => {
  test('resolves to true when everything is stored', async () => {
    const opened = await open()
    appendTurn(opened.session, 'hi', 'hello')
    expect(await opened.store.flush(opened.session)).toBe(true)
    expect(opened.session.durable).toBe(opened.session.seq)
    expect((await (await tab(opened)).store.inspect('a')).events).toEqual(opened.session.events)
  })

  test('stores streamed chunks at once', async () => {
    const { store, session } = await open()
    const chunk = { type: 'text-delta', index: 0, text: 'a' } as const
    session.append('assistant/chunk', { turn: 1, step: 1, chunk })
    await store.flush(session)
    expect(session.durable).toBe(1)
  })

  test('stores what it waits for in one transaction, which is safe against a power cut', async () => {
    const opened = await open()
    const calls = watchCalls(opened)
    beginTurn(opened.session, 'hi')
    await opened.store.flush(opened.session)
    expect(calls).toEqual(['append'])
  })

  test('needs no further transaction after a turn/end, which is safe by itself', async () => {
    const opened = await open()
    const calls = watchCalls(opened)
    appendTurn(opened.session, 'hi', 'hello')
    await opened.store.flush(opened.session)
    expect(calls).toEqual(['append'])
  })

  test('does not wait for what is appended later', async () => {
    const opened = await open()
    const { session, store } = opened
    appendTurn(session, 'hi', 'hello')
    const flushed = store.flush(session)
    const { opened: answered, open: answer } = gate()
    const { length } = session.events
    await vi.waitFor(() => expect(session.durable).toBe(length))
    beforeCall(opened, 'append', () => answered)
    session.append('turn/start', { turn: 2 })
    expect(await flushed).toBe(true)
    expect(session.durable).toBe(length)
    answer()
  })

  test('of nothing resolves to true', async () => {
    const { store, session } = await open()
    expect(await store.flush(session)).toBe(true)
  })

  test('of a released session rejects with SESSION_NOT_LIVE', async () => {
    const { store, session } = await open()
    await store.release(session)
    await expect(store.flush(session)).rejects.toMatchObject({ code: 'SESSION_NOT_LIVE', sessionId: 'a' })
  })

  test('of another store’s session rejects with SESSION_NOT_LIVE', async () => {
    const { session } = await open()
    const other = await page()
    await other.store.create('a')
    await expect(other.store.flush(session)).rejects.toMatchObject({ code: 'SESSION_NOT_LIVE' })
  })

  test('of a session that another writer took over rejects with SESSION_CONFLICT', async () => {
    const opened = await open()
    appendTurn(opened.session, 'hi', 'hello')
    await opened.store.flush(opened.session)
    await overtake(await tab(opened), 'a')
    opened.session.append('turn/start', { turn: 2 })
    await expect(opened.store.flush(opened.session)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' })
    await expect(opened.store.flush(opened.session)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' })
  })

  test('rejects with what keeps events from being stored, and keeps them', async () => {
    const opened = await open()
    const { session, store } = opened
    const makeRoom = noRoom(opened, 'append')
    appendTurn(session, 'hi', 'hello')
    await expect(store.flush(session)).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    expect(session).toMatchObject({ state: 'live', durable: 0 })
    makeRoom()
    await store.flush(session)
    expect(session.durable).toBe(session.seq)
  })

  test('after a failure the next append sends everything too', async () => {
    const opened = await open()
    const { session, store } = opened
    const makeRoom = noRoom(opened, 'append')
    appendTurn(session, 'hi', 'hello')
    await expect(store.flush(session)).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    makeRoom()
    session.append('turn/start', { turn: 2 })
    await vi.waitFor(() => expect(session.durable).toBe(session.seq))
  })
})

describe('release', () => {
  test('stores what is left, then the session is no longer live', async () => {
    const opened = await open()
    const { session, store } = opened
    beginTurn(session, 'hi')
    await store.release(session)
    expect(session).toMatchObject({ state: 'released', durable: session.seq })
    expect(store.get('a')).toBeUndefined()
    expect((await store.inspect('a')).events.slice(0, session.seq)).toEqual(session.events)
  })

  test('twice does nothing more', async () => {
    const { store, session } = await open()
    const disposed = vi.fn()
    store.on('session/disposed', disposed)
    await Promise.all([store.release(session), store.release(session)])
    await store.release(session)
    expect(disposed).toHaveBeenCalledOnce()
  })

  test('stores what is appended while it waits', async () => {
    const opened = await open()
    const { session, store } = opened
    const { opened: answered, open: answer } = gate()
    beforeCall(opened, 'append', () => answered)
    session.append('turn/start', { turn: 1 })
    const released = store.release(session)
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } })
    answer()
    await released
    expect((await store.inspect('a')).events).toHaveLength(2)
  })

  test('rejects when storage fails, and the session stays live', async () => {
    const opened = await open()
    const { session, store } = opened
    const disposed = vi.fn()
    store.on('session/disposed', disposed)
    const makeRoom = noRoom(opened, 'append')
    appendTurn(session, 'hi', 'hello')
    await expect(store.release(session)).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    expect(session.state).toBe('live')
    expect(store.get('a')).toBe(session)
    expect(disposed).not.toHaveBeenCalled()
    makeRoom()
    await store.release(session)
    expect(session).toMatchObject({ state: 'released', durable: session.seq })
  })

  test('of another store’s session is refused', async () => {
    const { session } = await open()
    const other = await page()
    await expect(other.store.release(session)).rejects.toMatchObject({ code: 'SESSION_NOT_LIVE' })
    expect(session.state).toBe('live')
  })

  test('frees the session to be loaded again, as a new object', async () => {
    const { store, session } = await open()
    appendTurn(session, 'hi', 'hello')
    await store.release(session)
    const again = await store.load('a')
    expect(again).not.toBe(session)
    expect(again.events).toEqual(session.events)
  })

  test('of an empty seeded session leaves it stored', async () => {
    const { store } = await page()
    await store.release(await store.create('a', { seed: [] }))
    expect(await store.stored()).toMatchObject([{ header: { id: 'a' }, length: 0 }])
    expect((await store.load('a')).events).toEqual([])
  })
})

describe('close', () => {
  test('stores and releases every session', async () => {
    const opened = await open()
    const b = await opened.store.create('b')
    appendTurn(opened.session, 'hi', 'hello')
    beginTurn(b, 'more')
    await opened.store.close()
    expect(opened.session.state).toBe('released')
    expect(opened.store.list()).toEqual([])
    const { store } = await tab(opened)
    expect((await store.inspect('a')).events).toEqual(opened.session.events)
    expect((await store.inspect('b')).events.slice(0, b.seq)).toEqual(b.events)
  })

  test('makes empty sessions vanish', async () => {
    const { store, name } = await open()
    await store.close()
    expect(await countRecords(name)).toMatchObject({ sessions: 0 })
  })

  test('twice does nothing more', async () => {
    const { store, session } = await open()
    const disposed = vi.fn()
    store.on('session/disposed', disposed)
    await Promise.all([store.close(), store.close()])
    await store.close()
    expect(disposed).toHaveBeenCalledExactlyOnceWith(session)
  })

  test('rejects when a session cannot be stored, and the store stays open', async () => {
    const opened = await open()
    const { session, store } = opened
    const makeRoom = noRoom(opened, 'append')
    appendTurn(session, 'hi', 'hello')
    await expect(store.close()).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    expect(session.state).toBe('live')
    expect(await store.stored()).toEqual([])
    makeRoom()
    await store.close()
    expect(session.durable).toBe(session.seq)
  })

  test('waits for what is under way', async () => {
    const { store, name } = await page()
    const creating = store.create('a', { seed: log(turn(1)) })
    await store.close()
    expect((await creating).state).toBe('released')
    expect((await (await page({ name })).store.stored()).map(({ length }) => length)).toEqual([3])
  })

  test('ends everything that asks the worker with CLOSED', async () => {
    const { store, session } = await open()
    await store.close()
    const calls = [
      store.create(),
      store.fork('a'),
      store.stored(),
      store.load('a'),
      store.inspect('a'),
      store.forkPoints('a'),
      store.delete('a'),
      store.exportLog('a'),
      store.importLog(''),
    ]
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'SessionStoreError', code: 'CLOSED' } })
    }
    expect(() => session.append('turn/start', { turn: 1 })).toThrow(
      expect.objectContaining({ code: 'SESSION_NOT_LIVE' }),
    )
    expect(store.get('a')).toBeUndefined()
  })
})
