import { describe, expect, test } from 'vitest'
import { log, start, turn } from '../log/support.js'
import { beforeCall } from '../support/calls.js'
import { CLOSERS, CRASHED, stored } from '../support/crashed.js'
import { page } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'
import { allRecords } from '../support/records.js'

describe('inspect', () => {
  test('gives header and events without making it live', async () => {
    const { store } = await stored()
    const { header, events } = await store.inspect('a')
    expect(header).toMatchObject({ id: 'a', cwd: '/x' })
    expect(events).toEqual(log(turn(1)))
    expect(store.get('a')).toBeUndefined()
  })

  test('closes an open turn in what it gives, and writes nothing', async () => {
    const { store, name } = await stored(CRASHED)
    const before = await allRecords(name)
    const { events } = await store.inspect('a')
    expect(events.slice(5).map(({ type }) => type)).toEqual(CLOSERS)
    expect(await allRecords(name)).toEqual(before)
  })

  test('adds no marker', async () => {
    const { store } = await stored(log(turn(1)), { rules: 'harness' })
    expect((await store.inspect('a')).events).toHaveLength(3)
  })

  test('of one that is live here gives its events as they are, unsaved ones too', async () => {
    const opened = await page()
    const session = await opened.store.create('a')
    beforeCall(opened, 'append', () => new Promise(() => {}))
    beginTurn(session, 'hi')
    expect((await opened.store.inspect('a')).events).toBe(session.events)
  })

  test('gives frozen events in a frozen array', async () => {
    const { store } = await stored(CRASHED)
    const { header, events } = await store.inspect('a')
    for (const value of [header, events, events[2]!.data, events.at(-1)!.data])
      expect(Object.isFrozen(value)).toBe(true)
  })

  test.each(['nobody', 7])('of %s rejects with SESSION_NOT_FOUND', async (id) => {
    const { store } = await stored()
    await expect(store.inspect(id as never)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})

describe('forkPoints', () => {
  const seed = log(turn(1), start(2))
  const point = { seq: 2, turn: 1, reason: { kind: 'completed' }, time: seed[2]!.time }

  test('are every turn/end, of a stored session', async () => {
    const { store } = await stored(seed)
    expect(await store.forkPoints('a')).toEqual([point])
    expect(store.get('a')).toBeUndefined()
  })

  test('are every turn/end, of a live session, unsaved ones too', async () => {
    const opened = await page()
    const session = await opened.store.create('a', { seed })
    beforeCall(opened, 'append', () => new Promise(() => {}))
    session.append('turn/end', { turn: 2, reason: { kind: 'blocked' } })
    const { time } = session.at(4)!
    expect(await opened.store.forkPoints('a')).toEqual([point, { seq: 4, turn: 2, reason: { kind: 'blocked' }, time }])
  })

  test('of a fork are the inherited and its own', async () => {
    const { store } = await stored(seed)
    const child = await store.fork('a', 2, 'b')
    const own = appendTurn(child, 'more', 'text')
    await store.release(child)
    expect((await store.forkPoints('b')).map(({ seq }) => seq)).toEqual([2, own])
  })

  test('of nobody reject with SESSION_NOT_FOUND', async () => {
    const { store } = await stored()
    await expect(store.forkPoints('nobody')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})
