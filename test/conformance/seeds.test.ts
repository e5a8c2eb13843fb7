/** `spec` 11 C: seeds and headers. */
import { expect, test } from 'vitest'
import type { SessionEvent, SessionMeta } from 'idb-sessions'
import { end, endSeed, log, start, turn, user } from '../log/support.js'
import { page } from '../support/lifetime.js'
import { types } from './support.js'

async function create(seed?: readonly object[], meta: object = {}) {
  const { store } = await page({ rules: 'harness' })
  const options = { ...(seed && { seed: seed as SessionEvent[] }), meta: meta as SessionMeta }
  return store.create('a', options)
}

const ONE = log(turn(1))
const changed = (index: number, change: object): object[] =>
  ONE.map((event, i) => (i === index ? { ...event, ...change } : event))

test('an empty seed is a log of the marker alone (case 26)', async () => {
  const session = await create([])
  expect([types(session), session.firstLiveSeq]).toEqual([['session/end-seed'], 0])
})

test('no seed is an empty log (case 26)', async () => {
  expect((await create()).seq).toBe(0)
})

test('a seed that ends in a marker gets no second one (case 27)', async () => {
  const session = await create(log(turn(1), endSeed))
  expect([session.seq, session.firstLiveSeq]).toEqual([4, 4])
})

test.each([{ extra: 1 }, { ignorable: false }, { time: 0.5 }])(
  'an event with %j is no seed event (case 28)',
  async (change) => {
    await expect(create(changed(1, change))).rejects.toMatchObject({ code: 'INVALID_EVENT', index: 1 })
  },
)

test('an event may be from before 1970 (case 28)', async () => {
  expect((await create(changed(1, { time: -5 }))).at(1)!.time).toBe(-5)
})

test('a gap in a seed is refused with its index (case 29)', async () => {
  await expect(create(ONE.filter(({ seq }) => seq !== 1))).rejects.toMatchObject({ code: 'INVALID_EVENT', index: 1 })
})

test('a seed may end in an open turn, which the marker lies in then (case 30)', async () => {
  const session = await create(log(turn(1), start(2)))
  expect([types(session).at(-1), session.turn.open]).toEqual(['session/end-seed', 2])
})

test('a seed message without id is refused (case 31)', async () => {
  const { id: _, ...data } = user('x').data as { id: string }
  await expect(create(changed(1, { data }))).rejects.toMatchObject({ code: 'INVALID_EVENT', index: 1 })
})

test('a seed message may hold blocks of an unknown type (case 31)', async () => {
  const data = { ...(user('x').data as object), content: [{ type: 'hologram' }] }
  expect((await create(changed(1, { data }))).at(1)!.data).toEqual(data)
})

test('an unknown type in a seed is refused, which DSH takes in memory (case 32, differs)', async () => {
  const seed = log({ type: 'unknown/type', data: {} })
  await expect(create(seed)).rejects.toMatchObject({ code: 'INVALID_EVENT', index: 0 })
})

test('an unknown type that is ignorable is taken (case 32)', async () => {
  expect((await create(log({ type: 'unknown/type', data: {}, ignorable: true }))).seq).toBe(2)
})

test.each([{ cwd: 'a/b' }, { origin: 'user' }])('a header with %j is refused (case 33)', async (meta) => {
  await expect(create(undefined, meta)).rejects.toMatchObject({ code: 'INVALID_HEADER' })
})

test.each([{ parentSession: '' }, { seedLength: 99 }])('a header with %j is taken (case 33)', async (meta) => {
  expect((await create(log(start(1), end(1)), meta)).header).toMatchObject(meta)
})

test('an unknown key of meta is dropped (case 34)', async () => {
  expect((await create(undefined, { unknown: 1 })).header).not.toHaveProperty('unknown')
})
