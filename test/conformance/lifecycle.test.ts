/** `spec` 11 E: the store, and who is told what. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { start } from '../log/support.js'
import { gate } from '../support/calls.js'
import { append, live } from './support.js'

test('a minted id is a UUID, where DSH counts (case 60, differs)', async () => {
  const { store } = await live()
  expect((await store.create()).id).toMatch(/^session-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
})

test('list gives the sessions in the order in which they were made (case 60)', async () => {
  const { store } = await live()
  const { id: first } = await store.create()
  await store.create('session-3')
  const { id: last } = await store.create()
  expect(store.list().map(({ id }) => id)).toEqual(['a', first, 'session-3', last])
})

describe('an observer of session/event that throws', () => {
  async function observed() {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => reported.mockRestore())
    const { store, session } = await live()
    store.on('session/event', () => {
      throw new Error('mine')
    })
    const later = vi.fn()
    store.on('session/event', later)
    return { session, later, event: append(session, start(1)) }
  }

  test('does not keep append from returning the logged event (case 66)', async () => {
    const { session, event } = await observed()
    expect(session.at(0)).toBe(event)
  })

  test('does not keep later ones from being told (case 66)', async () => {
    const { session, later, event } = await observed()
    expect(later).toHaveBeenCalledExactlyOnceWith(session, event)
  })
})

test('a flush that nobody listens to answers true, since it has stored; DSH says false (case 69, differs)', async () => {
  const { store, session } = await live([start(1)])
  expect(await store.flush(session)).toBe(true)
})

describe('of two listeners of session/flush that fail', () => {
  async function flushed() {
    const { store, session } = await live()
    const { opened, open } = gate()
    const order: string[] = []
    store.on('session/flush', () => {
      order.push('first')
      throw new Error('first')
    })
    store.on('session/flush', async () => {
      await opened
      order.push('second')
      throw new Error('second')
    })
    const failure = store.flush(session).catch(({ message }: Error) => order.push(`rejected: ${message}`))
    await store.stored() // a round trip: time enough for a flush that does not wait
    open()
    await failure
    return order
  }

  test('the first one rejects the flush, after the slow one has settled (case 69)', async () => {
    expect(await flushed()).toEqual(['first', 'second', 'rejected: first'])
  })
})
