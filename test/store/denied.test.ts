/** A page that may store nothing, as in a sandboxed frame or where the user blocks all cookies: its locks are denied as well. */
// Before everything that looks for locks.
import '../support/fake-locks.js'
import { openSessions } from 'idb-sessions'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { log, start, turn } from '../log/support.js'
import { inBrowser, newName, newWorker } from '../support/page.js'

function denyStorage(): void {
  const denied = (): DOMException => new DOMException('access is denied in this context', 'SecurityError')
  const spies = [
    vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
      throw denied()
    }),
    vi.spyOn(navigator.locks, 'request').mockImplementation(() => Promise.reject(denied())),
    vi.spyOn(navigator.locks, 'query').mockImplementation(() => Promise.reject(denied())),
  ]
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()))
}

describe('where storage is denied (Node only: that of a worker cannot be taken away)', { skip: inBrowser }, () => {
  test('a store in memory does without locks', async () => {
    denyStorage()
    const store = await openSessions({ name: newName(), worker: newWorker, fallback: 'memory' })
    onTestFinished(() => store.close())
    await store.release(await store.create('a', { seed: log(turn(1), start(2)) }))
    expect((await store.load('a', { takeOver: true })).seq).toBe(5)
    expect(await store.stored()).toMatchObject([{ writer: 'here' }])
    expect(await store.delete('a')).toEqual([{ id: 'a', outcome: 'deleted' }])
  })
})
