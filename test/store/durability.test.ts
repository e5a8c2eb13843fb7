/** What is stored when, and how safely (design 3): strict where a finished turn or a flush says so, relaxed elsewhere. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { page } from '../support/lifetime.js'
import type { Connection } from '../../lib/connection.js'
import { GrowingLog } from '../../lib/log/growing.js'
import { Outbox } from '../../lib/outbox.js'
import { StatusBoard } from '../../lib/status.js'
import { log as turnOf, turn as oneTurn } from '../log/support.js'
import { loseAnswer, watchCalls } from '../support/calls.js'
import { appendTurn, beginTurn } from '../support/logs.js'
import { inBrowser } from '../support/page.js'

const RELAXED = { surfaceOp: 'append' } as const

/* oxlint-disable typescript/unbound-method -- the real methods, called below with their own `this` */
/** The durability of every writing transaction from now on, and how many records it put. In Node page and worker share them. */
function watchWrites(): { durability: string; writes: number }[] {
  const written: { durability: string; writes: number }[] = []
  const byTransaction = new WeakMap<IDBTransaction, { durability: string; writes: number }>()
  const { transaction } = IDBDatabase.prototype
  const { put, add } = IDBObjectStore.prototype
  const count = (store: IDBObjectStore): void => {
    const entry = byTransaction.get(store.transaction)
    if (entry !== undefined) entry.writes++
  }
  vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (
    this: IDBDatabase,
    stores,
    mode,
    options,
  ) {
    const tx = transaction.call(this, stores, mode, options)
    if (mode === 'readwrite') {
      const entry = { durability: options?.durability ?? 'default', writes: 0 }
      byTransaction.set(tx, entry)
      written.push(entry)
    }
    return tx
  })
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...args) {
    count(this)
    return put.apply(this, args)
  })
  vi.spyOn(IDBObjectStore.prototype, 'add').mockImplementation(function (this: IDBObjectStore, ...args) {
    count(this)
    return add.apply(this, args)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return written
}
/* oxlint-enable typescript/unbound-method */

describe.skipIf(inBrowser)('a transaction (Node only: a page cannot see its worker’s)', () => {
  test('that stores a finished turn is strict', async () => {
    const { store } = await page()
    const session = await store.create()
    const written = watchWrites()
    appendTurn(session, 'hi', 'hello')
    await vi.waitFor(() => expect(session.durable).toBe(session.seq))
    expect(written.at(-1)).toMatchObject({ durability: 'strict' })
  })

  test('that stores part of a turn is relaxed', async () => {
    const { store } = await page()
    const session = await store.create()
    const written = watchWrites()
    beginTurn(session, 'hi')
    await vi.waitFor(() => expect(session.durable).toBe(session.seq))
    expect(written.map(({ durability }) => durability)).toEqual(['relaxed'])
  })

  test('that stores a value of 64 KiB or more is strict, since only its own transaction makes that safe', async () => {
    const { store } = await page()
    const session = await store.create()
    const written = watchWrites()
    session.append('feedback/record', { text: 'x'.repeat(64 * 1024) })
    await vi.waitFor(() => expect(session.durable).toBe(1))
    expect(written.map(({ durability }) => durability)).toEqual(['strict'])
  })

  test('of a flush is strict and puts something: one that writes nothing syncs nothing', async () => {
    const { store } = await page()
    const session = await store.create()
    beginTurn(session, 'hi')
    await vi.waitFor(() => expect(session.durable).toBe(session.seq))
    const written = watchWrites()
    await store.flush(session)
    expect(written).toEqual([{ durability: 'strict', writes: 1 }])
  })

  test('that stores what a flush waits for is strict itself, and the only one', async () => {
    const { store } = await page()
    const session = await store.create()
    const written = watchWrites()
    beginTurn(session, 'hi')
    await store.flush(session)
    expect(written.map(({ durability }) => durability)).toEqual(['strict'])
  })

  test('is saved when all is safe already: a finished turn needs no flush', async () => {
    const { store } = await page()
    const session = await store.create()
    appendTurn(session, 'hi', 'hello')
    await vi.waitFor(() => expect(session.durable).toBe(session.seq))
    const written = watchWrites()
    await store.flush(session)
    expect(written).toEqual([])
  })
})

test('a flush makes strict what was stored relaxed by a call whose answer was lost', async () => {
  const opened = await page()
  const { store } = opened
  const session = await store.create()
  loseAnswer(opened, 'append')
  beginTurn(session, 'hi')
  await vi.waitFor(() => expect(session.durable).toBe(session.seq), { timeout: 5000 })
  const calls = watchCalls(opened)
  await store.flush(session)
  expect(calls).toContain('flush')
})

test.skipIf(inBrowser)(
  'a flush that sends again what was stored relaxed puts something (Node only: see above)',
  async () => {
    const opened = await page()
    const session = await opened.store.create()
    loseAnswer(opened, 'append')
    beginTurn(session, 'hi')
    await vi.waitFor(async () => expect((await opened.store.stored())[0]?.length).toBe(session.seq))
    expect(session.durable).toBe(0)
    const written = watchWrites()
    await opened.store.flush(session)
    expect(written.some(({ durability, writes }) => durability === 'strict' && writes > 0)).toBe(true)
  },
)

test('the answer to a batch that was stored before makes nothing strict: the worker wrote nothing', async () => {
  const log = new GrowingLog(turnOf(oneTurn(1)))
  const call = vi.fn().mockRejectedValueOnce(new Error('the answer is lost')).mockResolvedValueOnce(1)
  let resolve = (_durable: number): void => {}
  const stored = new Promise<number>((done) => (resolve = done))
  const connection = { call, status: new StatusBoard() } as unknown as Connection
  const outbox = new Outbox(log, connection, 'a', 'epoch', { stored: resolve, lost: () => {} })
  outbox.start(0)
  await outbox.drain().catch(() => {})
  outbox.send()
  expect([await stored, outbox.safe]).toEqual([1, 0])
})

describe('streamed chunks', () => {
  test('that come in one breath are one call', async () => {
    const opened = await page()
    const session = await opened.store.create()
    const turn = beginTurn(session, 'hi')
    await vi.waitFor(() => expect(session.durable).toBe(session.seq))
    const calls = watchCalls(opened)
    for (let i = 0; i < 50; i++) chunk(session, turn, i)
    await vi.waitFor(() => expect(session.durable).toBe(session.seq))
    expect(calls).toEqual(['append'])
  })

  test('that come one by one within the wait are one call too', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const opened = await page()
    const session = await opened.store.create()
    const turn = beginTurn(session, 'hi')
    await opened.store.flush(session)
    const calls = watchCalls(opened)
    for (let i = 0; i < 5; i++) {
      chunk(session, turn, i)
      await opened.connection.call('ping')
    }
    expect(calls.filter((name) => name === 'append')).toEqual([])
    await vi.advanceTimersByTimeAsync(100)
    await vi.waitUntil(() => session.durable === session.seq)
    expect(calls.filter((name) => name === 'append')).toHaveLength(1)
  })

  test('do not wait once another event comes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const opened = await page()
    const session = await opened.store.create()
    const turn = beginTurn(session, 'hi')
    await opened.store.flush(session)
    chunk(session, turn, 0)
    session.append('user/message', { id: 'u', role: 'user', content: [], source: { kind: 'user' } }, RELAXED)
    await vi.waitUntil(() => session.durable === session.seq)
    expect(session.durable).toBe(session.seq)
  })
})

function chunk(session: Parameters<typeof beginTurn>[0], turn: number, i: number): void {
  session.append('assistant/chunk', { turn, step: 1, chunk: { type: 'text-delta', index: 0, text: `${i} ` } })
}
