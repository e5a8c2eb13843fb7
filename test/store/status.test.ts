import { deleteDB, openDB } from 'idb'
import { openSessions, type SessionStoreError, type StoreStatus } from 'idb-sessions'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { log, start, turn } from '../log/support.js'
import { beforeCall, noRoom } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import { inBrowser, newName, newWorker, type Page } from '../support/page.js'

/** The changes of a store's status from now on, with the codes of their causes. */
function watch({ store }: Pick<Page, 'store'>): [StoreStatus, string | undefined][] {
  const seen: [StoreStatus, string | undefined][] = []
  store.on('status', (status, cause) => void seen.push([status, cause?.code]))
  return seen
}

async function damageRow({ name }: Pick<Page, 'name'>, id: string): Promise<void> {
  const db = await openDB(name)
  await db.put('sessions', { ...(await db.get('sessions', id)), base: 'x' })
  db.close()
}

/** A page whose IndexedDB this is. */
function replaceIndexedDB(value: unknown): void {
  const there = Object.getOwnPropertyDescriptor(globalThis, 'indexedDB')!
  Object.defineProperty(globalThis, 'indexedDB', { value, configurable: true, writable: true })
  onTestFinished(() => void Object.defineProperty(globalThis, 'indexedDB', there))
}

describe('the status', () => {
  test('is ready, and closed in the end', async () => {
    const opened = await page()
    expect(opened.store.status).toBe('ready')
    const seen = watch(opened)
    await opened.store.close()
    expect(opened.store.status).toBe('closed')
    expect(seen).toEqual([['closed', undefined]])
  })

  test('is full while there is no room, though reading works, and ready when a write has found some', async () => {
    const opened = await page()
    const session = await opened.store.create('a')
    const seen = watch(opened)
    const freed = noRoom(opened, 'append')
    session.append('turn/start', { turn: 1 })
    // What failed in the connection's place has not passed through it.
    opened.connection.status.failed(await opened.store.flush(session).catch((error: unknown) => error))
    await opened.store.stored()
    expect(opened.store.status).toBe('full')
    freed()
    await opened.store.flush(session)
    expect(seen).toEqual([
      ['full', 'STORAGE_FULL'],
      ['ready', undefined],
    ])
  })

  test('is failed when the worker dies, and ready again by itself', async () => {
    const opened = await page()
    const session = await opened.store.create('a')
    await opened.store.flush(session)
    const seen = watch(opened)
    opened.killWorker()
    await opened.store.stored().catch(() => {})
    await expect
      .poll(() => seen)
      .toEqual([
        ['failed', 'WORKER_FAILED'],
        ['ready', undefined],
      ])
  }, 20_000)

  test('is failed while what follows in a live session cannot be stored, with what to do, and no longer', async () => {
    const opened = await page()
    const session = await opened.store.create('a', { seed: log(turn(1)) })
    const seen = watch(opened)
    await damageRow(opened, 'a')
    session.append('turn/start', { turn: 2 })
    await expect.poll(() => opened.store.status).toBe('failed')
    await opened.store.stored()
    await opened.store.delete('a')
    expect(seen).toEqual([
      ['failed', 'SESSION_CORRUPT'],
      ['ready', undefined],
    ])
  })

  test('does not change with errors that are the caller’s', async () => {
    const opened = await page()
    const seen = watch(opened)
    await opened.store.load('none').catch(() => {})
    await opened.store.importLog('nonsense').catch(() => {})
    expect(seen).toEqual([])
  })
})

describe('another page that needs the database for itself', () => {
  test('gets it after what this page had not stored is stored', async () => {
    const opened = await page()
    const session = await opened.store.create('a', { seed: log(start(1)) })
    session.append('assistant/chunk', { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'a' } })
    const next = await openDB(opened.name, 2)
    expect(session.durable).toBe(2)
    next.close()
  })

  test('gets it though this page cannot store', async () => {
    const opened = await page()
    const session = await opened.store.create('a')
    beforeCall(opened, 'append', () => new Promise(() => {}), Infinity)
    session.append('turn/start', { turn: 1 })
    const next = await openDB(opened.name, 2)
    next.close()
    expect(session.state).toBe('live')
  }, 10_000)

  test('leaves an older page with FORMAT_UNSUPPORTED, its events kept', async () => {
    const opened = await page()
    const session = await opened.store.create('a', { seed: log(turn(1)) })
    const next = await openDB(opened.name, 2)
    next.close()
    session.append('turn/start', { turn: 2 })
    await expect(opened.store.flush(session)).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED' })
    expect(opened.store.status).toBe('failed')
    const exported = await new Response(await opened.store.exportLog('a')).text()
    expect(exported.split('\n')).toHaveLength(6)
  })
})

describe('a database that is gone', () => {
  test('while a session is live: its events are kept, can be exported, and are never sent into another one', async () => {
    const opened = await page()
    const session = await opened.store.create('a')
    appendTurn(session, 'hi', 'hello')
    await opened.store.flush(session)
    await deleteDB(opened.name)
    session.append('turn/start', { turn: 2 })
    await expect(opened.store.flush(session)).rejects.toMatchObject({ code: 'STORAGE_GONE' })
    expect([session.state, session.seq - session.durable]).toEqual(['live', 1])
    expect(opened.store.status).toBe('gone')
    expect(await new Response(await opened.store.exportLog('a')).text()).toContain('"hello"')
    await expect(opened.store.create('b')).rejects.toMatchObject({ code: 'STORAGE_GONE' })
  })

  test('leaves nothing in its place', async () => {
    const opened = await page()
    await deleteDB(opened.name)
    await opened.store.stored().catch(() => {})
    // A creation that was given up leaves a name without a version in WebKit.
    const made = (await indexedDB.databases()).filter(({ version }) => version !== 0)
    expect(made.map(({ name }) => name)).not.toContain(opened.name)
  })

  test('lets go of what is live when that is deleted, and the store of itself then', async () => {
    const opened = await page()
    await opened.store.create('a', { seed: log(turn(1)) })
    await deleteDB(opened.name)
    await expect(opened.store.delete('a')).rejects.toMatchObject({ code: 'STORAGE_GONE' })
    expect(opened.store.list()).toEqual([])
    await opened.store.close()
    expect(opened.store.status).toBe('closed')
  })

  test.runIf(inBrowser)(
    'between two visits: the store says so, and works (browser only: there is no localStorage in Node)',
    async () => {
      const first = await page()
      const session = await first.store.create('a')
      appendTurn(session, 'hi', 'hello')
      await first.store.flush(session)
      await first.store.close()
      await deleteDB(first.name)
      const { store } = await tab(first)
      expect(store.status).toBe('gone')
      const again = await store.create('a', { seed: log(turn(1)) })
      expect(await store.flush(again)).toBe(true)
      expect((await tab(first)).store.status).toBe('ready')
    },
  )
})

describe(
  'the note of which database was here (Node only: a browser has its own localStorage)',
  { skip: inBrowser },
  () => {
    function notes(): Map<string, string> {
      const items = new Map<string, string>()
      const setItem = (key: string, value: string): void => void items.set(key, value)
      vi.stubGlobal('localStorage', { getItem: (key: string) => items.get(key) ?? null, setItem })
      onTestFinished(() => void vi.unstubAllGlobals())
      return items
    }

    test('is not written by a delete that found nothing: it has written nothing', async () => {
      const written = notes()
      await (await page()).store.delete('none')
      expect([...written]).toEqual([])
    })

    test('is written by one that deleted something', async () => {
      const written = notes()
      const { store } = await page()
      await store.create('a', { seed: log(start(1)) })
      const before = written.size
      await store.delete('a')
      expect([before, written.size]).toEqual([0, 1])
    })
  },
)

describe('without usable IndexedDB (Node only: that of a worker cannot be taken away)', { skip: inBrowser }, () => {
  test('a store is refused', async () => {
    replaceIndexedDB(undefined)
    await expect(openSessions({ name: newName(), worker: newWorker })).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    })
  })

  async function inMemory() {
    replaceIndexedDB(undefined)
    const store = await openSessions({ name: newName(), worker: newWorker, fallback: 'memory' })
    onTestFinished(() => store.close())
    return store
  }

  test('one in memory says so, and its flush is false', async () => {
    const store = await inMemory()
    expect(store.status).toBe('memory')
    const session = await store.create('a', { seed: log(turn(1)) })
    expect(await store.flush(session)).toBe(false)
    expect(await store.persist()).toBe(false)
  })

  test('one in memory does everything else as usual', async () => {
    const store = await inMemory()
    const session = await store.create('a', { seed: log(turn(1), turn(2)) })
    const child = await store.fork(session, 2, 'b')
    appendTurn(child, 'hi', 'hello')
    await store.flush(child)
    await store.release(child)
    await store.delete('a')
    expect((await store.load('b')).events).toEqual(child.events)
    await store.importLog(await new Response(await store.exportLog('b')).text(), { id: 'c' })
    expect((await store.stored()).map(({ header }) => header.id).toSorted()).toEqual(['b', 'c'])
  })

  test('one in memory is gone with its worker: STORAGE_GONE, what is live stays live, and can be exported', async () => {
    let kill = (): void => {}
    replaceIndexedDB(undefined)
    const worker = (): Worker => {
      const made = newWorker()
      kill = () => made.terminate()
      return made
    }
    const store = await openSessions({ name: newName(), worker, fallback: 'memory' })
    const seen = watch({ store })
    const session = await store.create('a', { seed: log(turn(1)) })
    kill()
    session.append('turn/start', { turn: 2 })
    await expect(store.flush(session)).rejects.toMatchObject({ code: 'STORAGE_GONE' })
    await expect(store.create('b')).rejects.toMatchObject({ code: 'STORAGE_GONE' })
    expect([session.state, session.seq, session.durable]).toEqual(['live', 4, 3])
    expect(await new Response(await store.exportLog('a')).text()).toContain('"turn/start"')
    expect(seen).toEqual([['gone', 'STORAGE_GONE']])
    await store.delete('a').catch(() => {})
    await store.close()
  }, 20_000)
})

test(
  'a first open that fails for a moment is tried again (Node only: IndexedDB of the worker is at hand there)',
  { skip: inBrowser },
  async () => {
    const failing = vi.spyOn(IDBFactory.prototype, 'open').mockImplementationOnce(() => {
      throw new DOMException('Internal error opening backing store for indexedDB.open.', 'UnknownError')
    })
    onTestFinished(() => failing.mockRestore())
    expect((await page()).store.status).toBe('ready')
  },
)

test('storage tells what the browser tells', async () => {
  const { store } = await page()
  const figures = await store.storage()
  expect(Object.keys(figures).every((key) => ['usage', 'quota', 'persisted'].includes(key))).toBe(true)
  expect(typeof figures.quota).toBe(inBrowser ? 'number' : 'undefined')
})

describe('persist (Node only: what a browser answers is its own)', { skip: inBrowser }, () => {
  test.each<[string, StorageManager['persist'], boolean]>([
    ['is true when the browser keeps the data', async () => true, true],
    ['is false when it does not', async () => false, false],
    ['is false when it refuses to be asked', () => Promise.reject(new TypeError('in a sandbox')), false],
  ])('%s', async (_, persist, answer) => {
    vi.stubGlobal('navigator', { storage: { persist } })
    onTestFinished(() => void vi.unstubAllGlobals())
    expect(await (await page()).store.persist()).toBe(answer)
  })
})

test('a session goes on after its worker died, without a call of the application', async () => {
  const opened = await page()
  const session = await opened.store.create('a')
  appendTurn(session, 'hi', 'hello')
  await opened.store.flush(session)
  opened.killWorker()
  appendTurn(session, 'again', 'hello again')
  await expect.poll(() => session.durable, { timeout: 15_000 }).toBe(session.seq)
}, 20_000)

test('errors say what to do next', async () => {
  const opened = await page()
  await deleteDB(opened.name)
  const error = (await opened.store.stored().catch((error: unknown) => error)) as SessionStoreError
  expect(error.message).toMatch(/export|reload/)
})
