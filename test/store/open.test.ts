import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDB } from 'idb'
import { openSessions, SessionStore, type OpenSessionsOptions } from 'idb-sessions'
import { log, turn } from '../log/support.js'
import { page } from '../support/lifetime.js'
import { inBrowser, newName, newWorker } from '../support/page.js'

async function open(options: OpenSessionsOptions): Promise<SessionStore> {
  const store = await openSessions({ worker: newWorker, ...options })
  onTestFinished(() => store.close())
  return store
}

describe('openSessions', () => {
  test('gives a SessionStore', async () => {
    const store = await open({ name: newName() })
    expect(store).toBeInstanceOf(SessionStore)
    expect((await store.create('a')).state).toBe('live')
  })

  test.skipIf(!inBrowser)(
    'starts this package’s own worker by default (browser only: there are none in Node)',
    async () => {
      const store = await open({ name: newName(), worker: undefined } as never)
      await store.create('a', { seed: log(turn(1)) })
      expect(await store.stored()).toHaveLength(1)
    },
  )

  test('keeps what was stored from one opening to the next', async () => {
    const name = newName()
    const first = await openSessions({ name, worker: newWorker })
    await first.create('a', { seed: log(turn(1)) })
    await first.close()
    const second = await open({ name })
    expect(second).not.toBe(first)
    expect((await second.load('a')).events).toEqual(log(turn(1)))
  })

  test('takes a Worker object', async () => {
    const store = await open({ name: newName(), worker: newWorker() })
    expect(await store.stored()).toEqual([])
  })

  test('names the database idb-sessions by default', async () => {
    const store = await open({})
    await store.stored()
    expect((await indexedDB.databases()).map(({ name }) => name)).toContain('idb-sessions')
  })
})

describe('the same name opened again', () => {
  test('is the same store, also while it opens', async () => {
    const name = newName()
    const [a, b] = await Promise.all([open({ name }), openSessions({ name, worker: newWorker })])
    expect(a).toBe(b)
    expect(await openSessions({ name })).toBe(a)
  })

  test('with the same options is the same store, in any order of types', async () => {
    const name = newName()
    const store = await open({ name, rules: 'harness', eventTypes: ['a', 'b'] })
    expect(await openSessions({ name, rules: 'harness', eventTypes: ['b', 'a'] })).toBe(store)
  })

  test.each([{ rules: 'rfc' }, { eventTypes: ['a'] }, { eventTypes: [] }] as const)(
    'with contradicting options %j is a TypeError',
    async (options) => {
      const name = newName()
      await open({ name, rules: 'harness', eventTypes: ['a', 'b'] })
      await expect(openSessions({ name, ...options })).rejects.toThrow(TypeError)
    },
  )

  test('after close is another store, and may have other options', async () => {
    const name = newName()
    await (await openSessions({ name, worker: newWorker })).close()
    const store = await open({ name, rules: 'harness' })
    expect((await store.create('a', { seed: [] })).events).toHaveLength(1)
  })

  test('under another name is another store', async () => {
    expect(await open({ name: newName() })).not.toBe(await open({ name: newName() }))
  })
})

describe('options that are none', () => {
  test.each([
    { name: 7 },
    { name: null },
    { rules: 'mine' },
    { eventTypes: 'a' },
    { eventTypes: [7] },
    { eventTypes: [''] },
    { eventTypes: ['mode/set'] },
  ])('%j is a TypeError', async (options) => {
    await expect(openSessions({ worker: newWorker, name: newName(), ...options } as never)).rejects.toThrow(TypeError)
  })
})

describe('a database', () => {
  test('of a newer version is FORMAT_UNSUPPORTED, and stays as it is', async () => {
    const name = newName()
    const newer = await openDB(name, 99, { upgrade: (db) => void db.createObjectStore('later') })
    newer.close()
    await expect(openSessions({ name, worker: newWorker })).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED' })
    const same = await openDB(name)
    expect([same.version, ...same.objectStoreNames]).toEqual([99, 'later'])
    same.close()
  })

  test('that is no session store is refused, and stays as it is', async () => {
    const name = newName()
    const foreign = await openDB(name, 1, { upgrade: (db) => void db.createObjectStore('mine') })
    foreign.close()
    await expect(openSessions({ name, worker: newWorker })).rejects.toMatchObject({ name: 'SessionStoreError' })
    const same = await openDB(name)
    expect([...same.objectStoreNames]).toEqual(['mine'])
    same.close()
  })
})

describe.skipIf(inBrowser)('storage that fails (Node only: IndexedDB of the worker is at hand there)', () => {
  test('no IndexedDB at all is STORAGE_UNAVAILABLE', async () => {
    vi.stubGlobal('indexedDB', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    const opening = openSessions({ name: newName(), worker: newWorker })
    await expect(opening).rejects.toMatchObject({ name: 'SessionStoreError', code: 'STORAGE_UNAVAILABLE' })
  })

  test('an IndexedDB that refuses to open is STORAGE_UNAVAILABLE', async () => {
    const refused = vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
      throw new DOMException('private mode', 'SecurityError')
    })
    onTestFinished(() => refused.mockRestore())
    const opening = openSessions({ name: newName(), worker: newWorker })
    await expect(opening).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: expect.stringMatching(/private/),
    })
  })

  /** The next request of this kind fails as a full disk makes it fail. */
  function failOnce(method: 'add' | 'put', name: string): void {
    const failing = vi.spyOn(IDBObjectStore.prototype, method).mockImplementationOnce(() => {
      throw new DOMException('no room', name)
    })
    onTestFinished(() => failing.mockRestore())
  }

  test.each(['add', 'put'] as const)(
    'a full disk at %s is STORAGE_FULL: events are kept, the next flush stores all',
    async (method) => {
      const { store, name } = await page()
      const session = await store.create('a', { seed: log(turn(1)) })
      failOnce(method, 'QuotaExceededError')
      session.append('turn/start', { turn: 2 })
      await expect(store.flush(session)).rejects.toMatchObject({ name: 'SessionStoreError', code: 'STORAGE_FULL' })
      expect(session).toMatchObject({ state: 'live', seq: 4, durable: 3 })
      session.append('turn/end', { turn: 2, reason: { kind: 'completed' } })
      expect(await store.flush(session)).toBe(true)
      expect(session.durable).toBe(5)
      expect((await (await page({ name })).store.inspect('a')).events).toEqual(session.events)
    },
  )

  test('a full disk at create leaves nothing', async () => {
    const { store } = await page()
    failOnce('add', 'QuotaExceededError')
    await expect(store.create('a', { seed: log(turn(1)) })).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    expect(store.list()).toEqual([])
    expect(await store.stored()).toEqual([])
    expect((await store.create('a', { seed: log(turn(1)) })).durable).toBe(3)
  })

  test('a full disk at fork leaves nothing', async () => {
    const { store } = await page()
    await store.create('a', { seed: log(turn(1)) })
    failOnce('add', 'QuotaExceededError')
    await expect(store.fork('a', 2, 'b')).rejects.toMatchObject({ name: 'SessionStoreError', code: 'STORAGE_FULL' })
    expect(store.get('b')).toBeUndefined()
    expect(await store.stored()).toHaveLength(1)
    expect((await store.fork('a', 2, 'b')).seq).toBe(3)
  })

  /** The browser gives up that many transactions. */
  function giveUp(times: number): void {
    const adding = vi.spyOn(IDBObjectStore.prototype, 'add')
    for (let i = 0; i < times; i++) {
      adding.mockImplementationOnce(function (this: IDBObjectStore) {
        this.transaction.abort()
        throw new DOMException('given up', 'AbortError')
      })
    }
    onTestFinished(() => adding.mockRestore())
  }

  test('a transaction that the browser gives up is run once more', async () => {
    const { store } = await page()
    const session = await store.create('a', { seed: log(turn(1)) })
    giveUp(1)
    session.append('turn/start', { turn: 2 })
    expect(await store.flush(session)).toBe(true)
    expect(session.durable).toBe(4)
  })

  test('one that it gives up again is CONNECTION_LOST, and tried again by the next flush', async () => {
    const { store } = await page()
    const session = await store.create('a', { seed: log(turn(1)) })
    giveUp(2)
    session.append('turn/start', { turn: 2 })
    await expect(store.flush(session)).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    expect(await store.flush(session)).toBe(true)
  })
})
