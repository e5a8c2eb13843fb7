import { describe, expect, test, vi } from 'vitest'
import type { SessionStore } from 'idb-sessions'
import { log, turn } from '../log/support.js'
import { gate } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { trace } from '../support/trace.js'
import { countRecords } from '../support/page.js'
import { NOTHING } from '../support/records.js'

/** Failures of listeners are reported on the console. */
function muteConsole() {
  return vi.spyOn(console, 'error').mockImplementation(() => {})
}

describe('a listener of session/created that throws', () => {
  const veto = new RangeError('not this one')
  const refuse = (store: SessionStore) =>
    store.on('session/created', () => {
      throw veto
    })

  test('stops later listeners, and is followed by disposed', async () => {
    const { store } = await page()
    refuse(store)
    const told = trace(store)
    await expect(store.create('a')).rejects.toBe(veto)
    expect(told).toEqual(['disposed a released'])
  })

  test('rejects a fork: nothing is stored, the source is as it was', async () => {
    const { store, name } = await page()
    const source = await store.create('a', { seed: log(turn(1)) })
    const before = await countRecords(name)
    const off = refuse(store)
    await expect(store.fork(source, 2, 'b')).rejects.toBe(veto)
    expect(store.get('b')).toBeUndefined()
    expect(await countRecords(name)).toEqual(before)
    off()
    expect((await store.fork(source, 2, 'b')).state).toBe('live')
  })

  test('rejects a load: what is stored stays', async () => {
    const first = await page()
    await first.store.create('a', { seed: log(turn(1)) })
    const second = await tab(first)
    const off = refuse(second.store)
    await expect(second.store.load('a', { takeOver: true })).rejects.toBe(veto)
    expect(second.store.get('a')).toBeUndefined()
    off()
    expect((await second.store.load('a')).seq).toBe(3)
  })

  test('drops what listeners before it appended', async () => {
    const { store, name } = await page()
    store.on('session/created', (session) => void session.append('turn/start', { turn: 1 }))
    refuse(store)
    await expect(store.create('a')).rejects.toBe(veto)
    expect(await countRecords(name)).toEqual(NOTHING)
  })

  test('only synchronously: a promise that rejects is reported, and vetoes nothing', async () => {
    const reported = muteConsole()
    const { store } = await page()
    store.on('session/created', () => Promise.reject(veto))
    expect((await store.create('a')).state).toBe('live')
    await vi.waitFor(() => expect(reported).toHaveBeenCalled())
    reported.mockRestore()
  })
})

describe('a listener of session/event that fails', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('mine')
      },
    ],
    ['rejects', () => Promise.reject(new Error('mine'))],
  ])('because it %s is contained, and later ones are told', async (_, fail) => {
    const reported = muteConsole()
    const { store } = await page()
    const session = await store.create('a')
    const later = vi.fn()
    store.on('session/event', fail)
    store.on('session/event', later)
    const event = session.append('turn/start', { turn: 1 })
    expect(later).toHaveBeenCalledExactlyOnceWith(session, event)
    expect(await store.flush(session)).toBe(true)
    await vi.waitFor(() => expect(reported).toHaveBeenCalled())
    reported.mockRestore()
  })
})

describe('listeners of session/flush', () => {
  test('are awaited', async () => {
    const { store } = await page()
    const session = await store.create('a')
    const { opened, open } = gate()
    let isDone = false
    store.on('session/flush', async () => {
      await opened
      isDone = true
    })
    const flushed = store.flush(session)
    await store.stored() // long enough for a flush that waits for nobody
    open()
    await flushed
    expect(isDone).toBe(true)
  })

  test('the first failure in their order rejects flush, after all are done', async () => {
    const { store } = await page()
    const session = await store.create('a')
    const { opened, open } = gate()
    const order: string[] = []
    store.on('session/flush', async () => {
      await opened
      order.push('first')
      throw new Error('first')
    })
    store.on('session/flush', () => {
      order.push('second')
      open()
      throw new Error('second')
    })
    await expect(store.flush(session)).rejects.toThrow('first')
    expect(order).toEqual(['second', 'first'])
  })

  test('that fail keep nothing from being stored', async () => {
    const { store } = await page()
    const session = await store.create('a')
    store.on('session/flush', () => {
      throw new Error('mine')
    })
    session.append('turn/start', { turn: 1 })
    await expect(store.flush(session)).rejects.toThrow('mine')
    expect(session.durable).toBe(1)
  })
})

describe('on', () => {
  test('returns what removes the listener again', async () => {
    const { store } = await page()
    const listener = vi.fn()
    const off = store.on('session/created', listener)
    await store.create('a')
    off()
    off()
    await store.create('b')
    expect(listener).toHaveBeenCalledOnce()
  })

  test('added twice is called twice, and removed once each', async () => {
    const { store } = await page()
    const listener = vi.fn()
    const off = store.on('session/created', listener)
    store.on('session/created', listener)
    await store.create('a')
    expect(listener).toHaveBeenCalledTimes(2)
    off()
    await store.create('b')
    expect(listener).toHaveBeenCalledTimes(3)
  })

  test('during an event changes nothing for that event', async () => {
    const { store } = await page()
    const session = await store.create('a')
    const late = vi.fn()
    store.on('session/event', () => void store.on('session/event', late))
    session.append('turn/start', { turn: 1 })
    expect(late).not.toHaveBeenCalled()
  })
})
