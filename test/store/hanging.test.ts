/** An engine that answers nothing any more, not even that it has given something up: every wait ends all the same. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Database } from '../../worker/database.js'
import { inBrowser, newName } from '../support/page.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const BLOCKED = { name: 'SessionStoreError', code: 'BLOCKED' }

/** What a call is rejected with when so many seconds have passed. */
async function failureAfter(seconds: number, call: () => Promise<unknown>): Promise<unknown> {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  let failure: unknown
  const called = call().catch((error: unknown) => (failure = error))
  // The last second counts.
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0))
  await vi.advanceTimersByTimeAsync((seconds - 1) * 1000)
  expect(failure).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1000)
  await called
  return failure
}

describe.skipIf(inBrowser)(
  'an engine that hangs is BLOCKED (Node only: IndexedDB of the worker is at hand there)',
  () => {
    test('after 30 s in a transaction', async () => {
      const db = new Database(newName())
      await db.check()
      vi.spyOn(IDBObjectStore.prototype, 'count').mockImplementation(() => new IDBRequest())
      vi.spyOn(IDBTransaction.prototype, 'abort').mockImplementation(() => {})
      const failure = await failureAfter(30, () => db.read(['sessions'], (tx) => tx.objectStore('sessions').count()))
      expect(failure).toMatchObject({ ...BLOCKED, message: expect.stringMatching(/30 s.*reload/) as string })
    })

    test('after 30 s behind one that does not end, too', async () => {
      const db = new Database(newName())
      await db.check()
      vi.spyOn(IDBObjectStore.prototype, 'count').mockImplementation(() => new IDBRequest())
      const failure = await failureAfter(30, async () => {
        const counts = [1, 2, 3].map(() => db.read(['sessions'], (tx) => tx.objectStore('sessions').count()))
        for (const outcome of await Promise.allSettled(counts)) expect(outcome).toMatchObject({ reason: BLOCKED })
        await counts.at(-1)
      })
      expect(failure).toMatchObject(BLOCKED)
    })

    test('after 10 s in asking a database what it is', async () => {
      const name = newName()
      const before = new Database(name)
      await before.check()
      await before.close()
      vi.spyOn(IDBObjectStore.prototype, 'get').mockImplementation(() => new IDBRequest())
      expect(await failureAfter(10, () => new Database(name).check())).toMatchObject(BLOCKED)
    })
  },
)

describe.skipIf(inBrowser)('transactions of a worker (Node only: as above)', () => {
  test('run one at a time: WebKit never ends one that waits when its worker ends', async () => {
    const db = new Database(newName())
    await db.check()
    const order: string[] = []
    const calls = ['a', 'b'].map((name) =>
      db.read(['sessions'], async (tx) => {
        order.push(`${name} begins`)
        await tx.objectStore('sessions').count()
        order.push(`${name} ends`)
      }),
    )
    await Promise.all(calls)
    expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })
})
