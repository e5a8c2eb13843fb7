import { describe, expect, test } from 'vitest'
import type { SessionEvent } from 'idb-sessions'
import { endSeed, log, title, turn, user, type Draft } from '../log/support.js'
import { page } from '../support/lifetime.js'

/** Turns end at 2 and 5. */
const TWO = log(turn(1), turn(2))

async function open(seed: SessionEvent[] = TWO, options?: Parameters<typeof page>[0]) {
  const opened = await page(options)
  return { ...opened, source: await opened.store.create('a', { seed, meta: { cwd: '/x' } }) }
}

describe("under rules 'harness'", () => {
  const harness = (...drafts: (Draft | Draft[])[]) => open(log(...drafts), { rules: 'harness' })

  test('the child ends in a marker of its own', async () => {
    const { store, source } = await harness(turn(1))
    const child = await store.fork(source, 2)
    expect(child.events.slice(0, 3)).toEqual(source.slice(0, 3))
    expect(child.at(3)).toMatchObject({ type: 'session/end-seed', seq: 3, data: {} })
    expect(child).toMatchObject({ firstLiveSeq: 3, durable: 4, seq: 4, header: { seedLength: 3 } })
  })

  test('an untouched fork is forked with its marker, and no second one', async () => {
    const { store, source } = await harness(turn(1))
    const child = await store.fork(await store.fork(source, 2))
    expect(child.events.map(({ type }) => type)).toEqual(['turn/start', 'user/message', 'turn/end', 'session/end-seed'])
    expect(child.header.seedLength).toBe(4)
  })

  test('three generations that each add a turn: 3, 7, 11 events are inherited', async () => {
    const { store } = await page({ rules: 'harness' })
    const lengths: unknown[] = []
    let session = await store.create('1')
    for (let generation = 1; generation <= 3; generation++) {
      session.append('turn/start', { turn: session.turn.next })
      session.append('todo/write', { todos: [] })
      session.append('turn/end', { turn: session.turn.next - 1, reason: { kind: 'completed' } })
      session = await store.fork(session)
      lengths.push(session.header.seedLength)
    }
    expect(lengths).toEqual([3, 7, 11])
    expect(session.events.filter(({ type }) => type === 'session/end-seed')).toHaveLength(3)
  })

  test('an empty source gives a child that holds the marker alone', async () => {
    const { store } = await page({ rules: 'harness' })
    const child = await store.fork(await store.create('a'))
    expect(child.events).toMatchObject([{ type: 'session/end-seed', seq: 0 }])
    expect(child.header.seedLength).toBe(0)
  })

  test('labels count: the default is the very last event', async () => {
    const { store, source } = await harness(turn(1), endSeed, title('t'))
    expect(source.seq).toBe(6)
    expect((await store.fork(source)).seq).toBe(6)
    expect((await store.fork(source, 4)).header.seedLength).toBe(5)
  })

  test('any event after which no turn is open is a boundary, -0 too', async () => {
    const { store, source } = await harness(title('t'), turn(1), user('context'))
    expect((await store.fork(source, 0)).header.seedLength).toBe(1)
    expect((await store.fork(source, -0)).header.seedLength).toBe(1)
    expect((await store.fork(source, 4)).header.seedLength).toBe(5)
    await expect(store.fork(source, 1)).rejects.toMatchObject({ code: 'OPEN_TURN' })
  })
})
