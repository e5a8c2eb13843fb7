import { deleteDB } from 'idb'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openSessions, SessionStoreError } from 'idb-sessions'
import { log, start, turn } from '../log/support.js'
import { holdCalls, loseAnswer } from '../support/calls.js'
import { engine } from '../support/engine.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'
import { inBrowser, newName, newWorker, type Page } from '../support/page.js'

const FAILED = { name: 'SessionStoreError', code: 'WORKER_FAILED' }

afterEach(() => void vi.useRealTimers())

/** What a promise is rejected with, caught at once. */
function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

function workerOf(code: string): Worker {
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
  onTestFinished(() => URL.revokeObjectURL(url))
  return new Worker(url, { type: 'module' })
}

/** A worker that takes every message and answers none. */
function silentWorker(): Worker {
  if (inBrowser) return workerOf('onmessage = () => {}')
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {}
  onTestFinished(() => port1.close())
  return Object.assign(port2, { terminate: () => port2.close() }) as unknown as Worker
}

describe('a worker that cannot start is WORKER_FAILED, and says what to check', () => {
  const broken: [string, () => Worker][] = [
    ['whose script is not there', () => new Worker('/there/is/no/such/worker.js', { type: 'module' })],
    ['whose script throws', () => workerOf('throw new Error("at start")')],
    ['whose script is no JavaScript', () => workerOf('<!doctype html>')],
  ]
  test.skipIf(!inBrowser).each(broken)('one %s (browser only: scripts)', async (_, worker) => {
    const opening = openSessions({ name: newName(), worker })
    await expect(opening).rejects.toMatchObject({ ...FAILED, message: expect.stringMatching(/check.*openSessions/s) })
  })

  test('one that never answers', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const opening = failureOf(openSessions({ name: newName(), worker: silentWorker }))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await opening).toMatchObject({ ...FAILED, message: expect.stringContaining('check') })
  })

  test('but not because the page was frozen meanwhile: its timers come once, however late', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const opening = failureOf(openSessions({ name: newName(), worker: silentWorker }))
    await vi.advanceTimersToNextTimerAsync()
    expect(await Promise.race([opening, Promise.resolve('waiting')])).toBe('waiting')
    await vi.advanceTimersByTimeAsync(10_000)
    await opening
  })

  test('one that cannot be made', async () => {
    const worker = (): never => {
      throw new RangeError('blocked by a policy')
    }
    const opening = openSessions({ name: newName(), worker })
    await expect(opening).rejects.toMatchObject({ ...FAILED, cause: expect.any(RangeError) })
  })

  test.skipIf(inBrowser)('where there are no workers at all (Node only)', async () => {
    await expect(openSessions({ name: newName() })).rejects.toMatchObject(FAILED)
  })

  test('and the same name can be opened again', async () => {
    const name = newName()
    const worker = (): never => {
      throw new Error('not now')
    }
    await expect(openSessions({ name, worker })).rejects.toMatchObject(FAILED)
    const store = await openSessions({ name, worker: newWorker })
    expect(await store.stored()).toEqual([])
    await store.close()
  })
})

/** A page whose worker dies with nothing said, once so many calls are on their way to it; and its session of three events. */
async function died(calls = 0) {
  // In a browser nothing tells that a worker is gone: it is asked every second, and does not answer.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const opened = await page()
  const session = await opened.store.create('a', { seed: log(turn(1)) })
  if (calls === 0) opened.killWorker()
  else holdCalls(opened, calls, () => opened.killWorker())
  return { ...opened, opened, session }
}

/** Lets the seconds pass after which a worker without an answer counts as dead. */
async function noticed(): Promise<void> {
  for (let second = 0; second < 8; second++) await vi.advanceTimersByTimeAsync(1000)
}

describe('a worker that dies', () => {
  test('while calls wait: every one of them rejects with WORKER_FAILED', async () => {
    const { store, session } = await died(9)
    session.append('turn/start', { turn: 2 })
    const waiting = [
      store.stored(),
      store.inspect('b'),
      store.load('c'),
      store.fork('b'),
      store.create('d', { seed: [] }),
      store.importLog('{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}\n'),
      store.flush(session),
      store.exportLog('b'),
      store.forkPoints('b'),
    ]
    const outcomes = Promise.allSettled(waiting)
    await noticed()
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: FAILED })
    expect(store.list()).toEqual([session])
  })

  test('while a delete waits: it is asked again, and what is gone by then is deleted', async () => {
    const { store } = await died(1)
    const deleted = store.delete(['b', 'nobody'])
    await noticed()
    expect(await deleted).toEqual([
      { id: 'b', outcome: 'deleted' },
      { id: 'nobody', outcome: 'deleted' },
    ])
    await expect(store.inspect('b')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  test('is replaced: the same session goes on, events kept and stored', async () => {
    const { opened, store, session } = await died()
    appendTurn(session, 'hi', 'hello')
    const flushed = failureOf(store.flush(session))
    await noticed()
    expect(await flushed).toMatchObject(FAILED)
    expect(session).toMatchObject({ state: 'live', seq: 12, durable: 3 })
    expect(await store.flush(session)).toBe(true)
    expect((await (await tab(opened)).store.inspect('a')).events).toEqual(session.events)
  })

  test('is replaced by the next append alone', async () => {
    const { opened, store, session } = await died()
    beginTurn(session, 'hi')
    const waiting = store.stored().catch(() => {})
    await noticed()
    await waiting
    session.append('turn/end', { turn: 2, reason: { kind: 'completed' } })
    await vi.waitFor(() => expect(session.durable).toBe(session.seq))
    expect((await (await tab(opened)).store.inspect('a')).events).toEqual(session.events)
  })

  test('can die again', async () => {
    const { opened, store } = await died()
    const waiting = store.stored().catch(() => {})
    await noticed()
    await waiting
    expect(await store.stored()).toHaveLength(1)
    opened.killWorker()
    const again = failureOf(store.stored())
    await noticed()
    expect(await again).toMatchObject(FAILED)
    expect(await store.stored()).toHaveLength(1)
  })

  test('after it stored a batch, before it said so: nothing is stored twice', async () => {
    const opened = await page()
    const { store } = opened
    const session = await store.create('a')
    loseAnswer(opened, 'append')
    beginTurn(session, 'hi')
    await expect(store.flush(session)).rejects.toMatchObject(FAILED)
    session.append('turn/end', { turn: 2, reason: { kind: 'completed' } })
    await store.flush(session)
    expect((await (await tab(opened)).store.inspect('a')).events).toEqual(session.events)
  })

  test('and was passed as an object cannot be replaced: the message says so, events are kept', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const worker = newWorker()
    const store = await openSessions({ name: newName(), worker })
    const session = await store.create('a')
    worker.terminate()
    appendTurn(session, 'hi', 'hello')
    const flushed = failureOf(store.flush(session))
    await noticed()
    const cannot = { ...FAILED, message: expect.stringContaining('function') as string }
    expect(await flushed).toMatchObject(cannot)
    await expect(store.stored()).rejects.toMatchObject(cannot)
    expect(session).toMatchObject({ state: 'live', seq: 9 })
    const text = await new Response(await store.exportLog('a')).text()
    expect(text.split('\n').length).toBeGreaterThan(5)
  })

  test('during an import: that import fails, and nothing of it is kept', async () => {
    const { store } = await died()
    let sent = false
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent) return
        sent = true
        controller.enqueue(
          new TextEncoder().encode('{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}\n'),
        )
      },
    })
    const imported = failureOf(store.importLog(source))
    await noticed()
    expect(await imported).toMatchObject(FAILED)
    expect(await store.stored()).toHaveLength(1)
  })
})

describe('errors cross the worker', () => {
  test('as their class, with code and fields', async () => {
    const { connection } = await page()
    const error: unknown = await connection.call('read', 'nobody', 0).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SessionStoreError)
    expect(error).toMatchObject({ code: 'SESSION_NOT_FOUND', sessionId: 'nobody' })
    expect((error as Error).message).toContain('nobody')
  })

  test('with the line of a bad file', async () => {
    const { store } = await page()
    const error: unknown = await store.importLog('nonsense\n').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SessionStoreError)
    expect(error).toMatchObject({ code: 'INVALID_LOG', line: 1 })
  })

  test('of a page of another version: the worker refuses, and says to reload', async () => {
    const { connection, name } = await page()
    await expect(
      connection.call('open', { name, protocol: 999, token: 'token', fallback: 'none' }),
    ).rejects.toMatchObject({
      code: 'WORKER_FAILED',
      message: expect.stringContaining('reload'),
    })
  })
})

describe('a worker that ends with many calls under way', () => {
  /** Ends a worker that has been at work for so many round trips. */
  async function endAfter(trips: number, first: Page): Promise<void> {
    const other = await tab(first)
    const settled = Promise.allSettled(
      [1, 2, 3, 4].map((i) => other.store.create(`${trips}.${i}`, { seed: log(turn(1)) })),
    )
    for (let i = 0; i < trips; i++) await other.connection.call('ping')
    other.crash()
    await settled
  }

  test('leaves the database to others, at whatever moment', async () => {
    const first = await page()
    await first.store.create('a', { seed: log(turn(1)) })
    for (let trips = 0; trips < 20; trips++) {
      await endAfter(trips, first)
      await first.store.setTitle('a', `${trips}`)
    }
    expect(await first.store.stored()).toContainEqual(expect.objectContaining({ title: '19' }))
  }, 60_000)

  test.skipIf(engine === 'webkit')(
    'leaves no connection that keeps the database from being deleted (not in WebKit, which keeps some)',
    async () => {
      const first = await page()
      for (let trips = 0; trips < 20; trips++) await endAfter(trips, first)
      first.crash()
      await deleteDB(first.name)
      expect((await indexedDB.databases()).map(({ name }) => name)).not.toContain(first.name)
    },
    60_000,
  )
})

test('two workers on one database see each other’s sessions', async () => {
  const first = await page()
  const second = await tab(first)
  await first.store.create('a', { seed: log(start(1)) })
  await second.store.create('b', { seed: log(start(1)) })
  expect(await first.store.stored()).toHaveLength(2)
  expect(await second.store.stored()).toHaveLength(2)
})
