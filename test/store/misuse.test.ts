/** Odd values and odd moments: a typed refusal, and nothing left behind. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSessions, type Session, type SessionStore } from 'idb-sessions'
import { log, turn } from '../log/support.js'
import { remove } from '../support/behind.js'
import { beforeCall, loseAnswer } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import { countRecords, inBrowser, newName, newWorker } from '../support/page.js'
import { NOTHING, rows } from '../support/records.js'

const INVALID = { name: 'SessionStoreError', code: 'INVALID_EVENT' }

describe('a getter in what append is given', () => {
  test('that appends to the same session is refused, and the log has each seq once', async () => {
    const { store } = await page()
    const session = await store.create()
    let inner: unknown
    const todos = {
      get todos() {
        inner = failureOf(() => session.append('plan/mode', { active: true }))
        return []
      },
    }
    session.append('todo/write', todos)
    session.append('plan/mode', { active: false })
    expect(inner).toMatchObject(INVALID)
    expect(session.events.map(({ seq }) => seq)).toEqual([0, 1])
  })

  test('that throws leaves the session writable', async () => {
    const session = await (await page()).store.create()
    const data = {
      get todos(): never {
        throw new Error('mine')
      },
    }
    expect(() => session.append('todo/write', data)).toThrow('mine')
    expect(session.append('plan/mode', { active: true }).seq).toBe(0)
  })
})

describe('a value that unfolds into more than an event may hold', () => {
  test('by shared references is refused', async () => {
    const session = await (await page()).store.create()
    let shared: unknown = 'x'.repeat(64 * 1024)
    for (let level = 0; level < 40; level++) shared = [shared, shared]
    expect(failureOf(() => session.append('feedback/record', shared as never))).toMatchObject(INVALID)
  })

  test('by escapes is refused', async () => {
    const session = await (await page()).store.create()
    expect(failureOf(() => session.append('feedback/record', { text: '\u0001'.repeat(2 ** 24) }))).toMatchObject(
      INVALID,
    )
  })
})

test('every session can be forked, also one with the longest id and cwd', async () => {
  const { store } = await page()
  const session = await store.create('x'.repeat(2000), { meta: { cwd: `/${'y'.repeat(8000)}` } })
  const end = appendTurn(session, 'hi', 'hello')
  expect((await store.fork(session, end, 'z'.repeat(2000))).seq).toBe(end + 1)
})

test('long ids that differ in their last character only are live beside each other', async () => {
  const { store } = await page()
  for (const last of 'abc') await store.create(`${'x'.repeat(2000)}${last}`)
  expect(store.list()).toHaveLength(3)
})

test('an id over 2 KiB is refused', async () => {
  const { store } = await page()
  await expect(store.create('x'.repeat(2048))).rejects.toMatchObject({ code: 'INVALID_HEADER' })
})

test('null is no id: one is made', async () => {
  const { store } = await page()
  expect((await store.create(null as never)).id).toMatch(/^session-/)
})

describe('a call with the wrong kind of thing says which is wanted:', () => {
  test.each<[string, (store: SessionStore, session: Session) => Promise<unknown>, RegExp]>([
    ['flush of an id', (store) => store.flush('a' as never), /takes a Session/],
    ['release of an id', (store) => store.release('a' as never), /takes a Session/],
    ['load of a session', (store, session) => store.load(session as never), /pass its id/],
    ['delete of a session', (store, session) => store.delete(session as never), /pass its id/],
    ['fork at a string', (store, session) => store.fork(session, '0' as never), /not a string/],
    ['openSessions of a name', () => openSessions('a' as never), /takes \{ name/],
    ['a listener that is none', async (store) => store.on('session/event', undefined as never), /is a function/],
    ['a title that is none', (store, session) => store.setTitle(session.id, undefined as never), /a title is a string/],
    ['setTitle of a session', (store, session) => store.setTitle(session as never, 'x'), /pass its id/],
    ['branches of a session', (store, session) => store.branches(session as never), /pass its id/],
    ['compare with a session', (store, session) => store.compare(session.id, session as never), /pass its id/],
    ['branchBefore a message', (store, session) => store.branchBefore(session, {} as never), /not an object/],
    ['a subscriber that is none', async (store) => store.index.subscribe(undefined as never), /is a function/],
    ['an event that is none', async (store) => store.on('session/craeted' as 'session/event', () => {}), /no event/],
  ])('%s', async (_name, call, message) => {
    const { store } = await page()
    const session = await store.create()
    await expect(call(store, session)).rejects.toThrow(message)
  })
})

describe('a reservation', () => {
  test('of another page is not deleted from here: locked', async () => {
    const first = await page()
    const session = await first.store.create('a')
    const { store } = await tab(first)
    expect(await store.delete('a')).toEqual([{ id: 'a', outcome: 'locked' }])
    session.append('plan/mode', { active: true })
    await first.store.flush(session)
    expect((await store.inspect('a')).events).toHaveLength(1)
  })

  test.skipIf(!inBrowser)('of a dead page is freed by the next open (browsers only: it takes Web Locks)', async () => {
    const { connection, name } = await page()
    const header = { version: 0, id: 'a', createdAt: 1 }
    await connection.call('create', { op: 'op', header, reserved: 'a-dead-page', segments: [], staged: 0 })
    await page({ name })
    await expect.poll(() => rows(name)).toEqual([])
  })

  test.skipIf(!inBrowser)('outlives the worker (browsers only: it takes Web Locks)', async () => {
    const opened = await page()
    const session = await opened.store.create('a')
    opened.killWorker()
    session.append('plan/mode', { active: true })
    await expect.poll(() => session.durable).toBe(1)
  })

  test.skipIf(!inBrowser)('stays while its page lives (browsers only: it takes Web Locks)', async () => {
    const first = await page()
    await first.store.create('a')
    const second = await tab(first)
    await second.store.create('b')
    expect(await rows(first.name)).toHaveLength(2)
  })
})

describe('a worker that dies after it stored what it was asked to', () => {
  test('leaves no session of a create that was rejected', async () => {
    const opened = await page()
    loseAnswer(opened, 'create')
    await expect(opened.store.create('a', { seed: log(turn(1)) })).rejects.toMatchObject({ code: 'WORKER_FAILED' })
    expect(await countRecords(opened.name)).toEqual(NOTHING)
  })

  test('leaves no session of a fork that was rejected', async () => {
    const opened = await page()
    const { store } = opened
    const source = await store.create('a', { seed: log(turn(1)) })
    loseAnswer(opened, 'fork')
    await expect(store.fork(source)).rejects.toMatchObject({ code: 'WORKER_FAILED' })
    expect(await countRecords(opened.name)).toMatchObject({ sessions: 1, lineages: 0 })
  })

  test('leaves no session of an import that was rejected', async () => {
    const opened = await page()
    loseAnswer(opened, 'importEnd')
    const file = '{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}\n'
    await expect(opened.store.importLog(file)).rejects.toMatchObject({ code: 'WORKER_FAILED' })
    expect(await countRecords(opened.name)).toEqual(NOTHING)
  })

  test('is asked again for a delete, which tells of it', async () => {
    const opened = await page()
    const { store } = opened
    await store.release(await store.create('a', { seed: log(turn(1)) }))
    const told: string[] = []
    store.on('stored/changed', ({ kind }) => void told.push(kind))
    loseAnswer(opened, 'delete')
    expect(await store.delete('a')).toEqual([{ id: 'a', outcome: 'deleted' }])
    expect(told).toEqual(['deleted'])
  })
})

test('a delete that fails leaves the session released, and stored', async () => {
  const opened = await page()
  const { store } = opened
  const session = await store.create('a', { seed: log(turn(1)) })
  beforeCall(opened, 'delete', () => {
    throw new Error('no')
  })
  await expect(store.delete('a')).rejects.toThrow('no')
  expect(session.state).toBe('released')
  expect((await store.load('a')).events).toEqual(session.events)
})

describe('while a store closes', () => {
  test('opening its name gives the one after it', async () => {
    const name = newName()
    const open = (): Promise<SessionStore> => openSessions({ name, worker: newWorker })
    const first = await open()
    const closing = first.close()
    const second = await open()
    onTestFinished(() => second.close())
    await closing
    expect(second).not.toBe(first)
    expect(await second.stored()).toEqual([])
  })

  test('an import whose stream gives nothing ends', async () => {
    const { store } = await page()
    const importing = store.importLog(new ReadableStream<Uint8Array>())
    await store.close()
    await expect(importing).rejects.toMatchObject({ code: 'CLOSED' })
  })

  test('a session that another writer deleted does not keep it open', async () => {
    const first = await page()
    const session = await first.store.create('a', { seed: log(turn(1)) })
    await remove(await tab(first), 'a')
    session.append('plan/mode', { active: true })
    await first.store.close()
    expect(session.state).toBe('deleted')
  })
})

test('a worker whose database cannot be opened is ended', async () => {
  const made: { ended: boolean }[] = []
  const worker = (): Worker => {
    const it = newWorker()
    const entry = { ended: false }
    made.push(entry)
    const terminate = it.terminate.bind(it)
    it.terminate = () => {
      entry.ended = true
      terminate()
    }
    return it
  }
  const name = newName()
  const newer = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open(name, 99)
    opening.addEventListener('success', () => resolve(opening.result))
    opening.addEventListener('error', () => reject(opening.error ?? new Error('cannot open')))
  })
  onTestFinished(() => newer.close())
  await expect(openSessions({ name, worker })).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED' })
  expect(made).toEqual([{ ended: true }])
})

function failureOf(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error
  }
}
