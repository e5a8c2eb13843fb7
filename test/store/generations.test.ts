import { expect, test } from 'vitest'
import type { Session, SessionEvent } from 'idb-sessions'
import { log, turn } from '../log/support.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import { countRecords, type Page } from '../support/page.js'

// More than two lineage records of 16 spans.
const GENERATIONS = 40

/** A chain of forks, each of which adds a turn. Returns every log as a copying store would have it. */
async function chain(opened: Page, boundaryOf = (session: Session) => session.seq - 1) {
  const copies: SessionEvent[][] = []
  let session = await opened.store.create('0', { seed: log(turn(1)) })
  for (let generation = 1; ; generation++) {
    appendTurn(session, `prompt ${generation}`, 'answer')
    copies.push([...session.events])
    if (generation === GENERATIONS) break
    const child = await opened.store.fork(session, boundaryOf(session), String(generation))
    await opened.store.release(session)
    session = child
  }
  await opened.store.release(session)
  return copies
}

test(`the log of every one of ${GENERATIONS} generations reads as if it had been copied`, async () => {
  const opened = await page()
  const copies = await chain(opened)
  const { store } = await tab(opened)
  for (const [id, events] of copies.entries()) expect((await store.inspect(String(id))).events).toEqual(events)
})

test('a fork that leaves out its parent’s last turn reads right at any depth', async () => {
  const opened = await page()
  // Every other generation forks at the inherited boundary: what its parent added is not part of it.
  const copies = await chain(opened, (session) =>
    Number(session.id) % 2 === 1 ? session.firstLiveSeq - 1 : session.seq - 1,
  )
  const { store } = await tab(opened)
  for (const [id, events] of copies.entries()) expect((await store.inspect(String(id))).events).toEqual(events)
})

test('the youngest can be forked at every turn, however old, live or stored', async () => {
  const opened = await page()
  const last = (await chain(opened)).at(-1)!
  const youngest = String(GENERATIONS - 1)
  const points = await opened.store.forkPoints(youngest)
  expect(points).toHaveLength(GENERATIONS + 1)
  const { store } = await tab(opened)
  const live = await store.load(youngest)
  for (const [i, { seq }] of points.entries()) {
    const child = await store.fork(i % 2 === 0 ? live : youngest, seq, `at ${seq}`)
    expect(child.events).toEqual(last.slice(0, seq + 1))
    appendTurn(child, 'other', 'way')
    await store.release(child)
    expect((await opened.store.inspect(`at ${seq}`)).events).toEqual(child.events)
  }
})

test('the youngest is whole when all others are deleted', async () => {
  const opened = await page()
  const last = (await chain(opened)).at(-1)!
  const { store } = await tab(opened)
  await store.delete(Array.from({ length: GENERATIONS - 1 }, (_, id) => String(id)))
  const session = await store.load(String(GENERATIONS - 1))
  expect(session.events).toEqual(last)
  expect(await store.stored()).toMatchObject([{ length: last.length, own: 9 }])
})

test('deleted one by one, oldest first or youngest first, all others stay whole', async () => {
  const opened = await page()
  const copies = await chain(opened)
  const { store } = await tab(opened)
  const left = new Map(copies.entries())
  for (let i = 0; left.size > 0; i++) {
    const id = [...left.keys()].at(i % 2 === 0 ? 0 : -1)!
    await store.delete(String(id))
    left.delete(id)
    const check = [...left].filter((_, k) => k === 0 || k === left.size - 1 || k === left.size >> 1)
    for (const [other, events] of check) expect((await store.inspect(String(other))).events).toEqual(events)
  }
  expect(await countRecords(opened.name)).toEqual({ sessions: 0, lineages: 0, segments: 0, staging: 0, store: 1 })
})

test('untouched forks of untouched forks share one lineage', async () => {
  const { store, name } = await page()
  let session = await store.create('a', { seed: log(turn(1)) })
  for (let i = 0; i < 20; i++) session = await store.fork(session)
  expect(session.events).toHaveLength(3)
  expect(await countRecords(name)).toMatchObject({ sessions: 21, lineages: 1, segments: 1 })
})
