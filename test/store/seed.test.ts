import { describe, expect, test } from 'vitest'
import { delta, end, log, start, title, turn, user } from '../log/support.js'
import { make } from '../support/behind.js'
import { beforeCall, watchCalls } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { countRecords } from '../support/page.js'
import { NOTHING } from '../support/records.js'

describe('a seed', () => {
  test('is the log, event for event, and stored when create resolves', async () => {
    const { store, name } = await page()
    const seed = log(turn(1), title('t'), start(2), delta('a'))
    const session = await store.create('a', { seed })
    expect(session.events).toEqual(seed)
    expect(session).toMatchObject({ firstLiveSeq: 6, durable: 6, turn: { open: 2, next: 3 } })
    expect((await (await page({ name })).store.inspect('a')).events).toEqual(seed)
  })

  test('is a copy: neither side sees the other change', async () => {
    const { store } = await page()
    const seed = structuredClone(log(turn(1)))
    const session = await store.create('a', { seed })
    ;(seed[0] as { time: number }).time = 1
    expect(session.at(0)!.time).not.toBe(1)
    expect(Object.isFrozen(seed[0])).toBe(false)
  })

  test('that is empty makes a stored, listed, empty session', async () => {
    const first = await page()
    const session = await first.store.create('a', { seed: [] })
    expect(session.events).toEqual([])
    expect(await first.store.stored()).toMatchObject([{ length: 0 }])
    await expect((await tab(first)).store.create('a')).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
  })

  test("ends in a marker under rules 'harness'", async () => {
    const { store } = await page({ rules: 'harness' })
    const session = await store.create('a', { seed: log(turn(1)) })
    expect(session.at(3)).toMatchObject({ type: 'session/end-seed', seq: 3, data: {} })
    expect(session).toMatchObject({ firstLiveSeq: 3, durable: 4 })
    expect((await store.create('b', { seed: [] })).events).toMatchObject([{ type: 'session/end-seed', seq: 0 }])
    expect((await store.create('c')).events).toEqual([])
  })

  test("that ends in a marker gets no second one under rules 'harness'", async () => {
    const { store } = await page({ rules: 'harness' })
    const seed = log({ type: 'session/end-seed', data: {} })
    expect(await store.create('a', { seed })).toMatchObject({ seq: 1, firstLiveSeq: 1 })
  })

  const ok = log(turn(1))
  const changed = (change: object) => [...ok.slice(0, 2), { ...ok[2], ...change }]
  test.each([
    ['a gap in seq', changed({ seq: 3 }), 2],
    ['an extra field', changed({ extra: 1 }), 2],
    ['ignorable: false', changed({ ignorable: false }), 2],
    ['a fractional time', changed({ time: 0.5 }), 2],
    ['an unknown type', changed({ type: 'my/own' }), 2],
    ['an obsolete type', changed({ type: 'mode/set' }), 2],
    ['data that is no JSON', changed({ data: { turn: -0 } }), 2],
    ['a surfaceOp out of place', changed({ surfaceOp: 'append' }), 2],
    ['a message without id', [ok[0], { ...ok[1], data: { role: 'user', content: [], source: { kind: 'user' } } }], 1],
    ['no event', [null], 0],
    ['no array', { length: 1 }, 0],
  ])('with %s is refused, and the index is named', async (_, seed, index) => {
    const { store, name } = await page()
    await expect(store.create('a', { seed: seed as never })).rejects.toMatchObject({ code: 'INVALID_EVENT', index })
    expect(store.list()).toEqual([])
    expect(await countRecords(name)).toEqual(NOTHING)
  })

  test('with a type of the application is stored as ignorable', async () => {
    const { store } = await page({ eventTypes: ['my/own'] })
    const session = await store.create('a', { seed: log({ type: 'my/own', data: 1 }) })
    expect(session.at(0)).toMatchObject({ type: 'my/own', ignorable: true })
  })

  test('with an unknown type that is ignorable is taken', async () => {
    const { store } = await page()
    const session = await store.create('a', { seed: log({ type: 'other/type', data: 1, ignorable: true }) })
    expect(session.at(0)).toMatchObject({ type: 'other/type', ignorable: true })
  })
})

describe('a seed of more than 3 MB', () => {
  const seed = log(...Array.from({ length: 1200 }, (_, i) => [start(i + 1), user('x'.repeat(2800)), end(i + 1)]))

  test('is put aside part by part, and complete', async () => {
    const opened = await page()
    const calls = watchCalls(opened)
    await opened.store.create('a', { seed })
    expect(calls.filter((name) => name === 'stage').length).toBeGreaterThan(1)
    expect((await (await tab(opened)).store.inspect('a')).events).toEqual(seed)
    expect(await countRecords(opened.name)).toMatchObject({ sessions: 1, staging: 0 })
  })

  test('leaves nothing when its id is taken on the way', async () => {
    const opened = await page()
    const other = await tab(opened)
    beforeCall(opened, 'create', () => make(other, 'a', log(turn(1))))
    await expect(opened.store.create('a', { seed })).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
    await expect.poll(() => countRecords(opened.name)).toMatchObject({ sessions: 1, segments: 1, staging: 0 })
  })
})
