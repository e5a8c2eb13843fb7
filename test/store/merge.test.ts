import { describe, expect, test, vi } from 'vitest'
import type { Session } from 'idb-sessions'
import { delta, fileOf, log, start, title, turn, user } from '../log/support.js'
import { page, tab } from '../support/lifetime.js'
import { countRecords, type Page } from '../support/page.js'
import { segments } from '../support/records.js'

/** Appends `turns` turns of three events, each stored by a transaction of its own. */
async function grow({ store }: Page, session: Session, turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) {
    const number = session.turn.next
    session.append('turn/start', { turn: number })
    session.append('user/message', user(`prompt ${number}`).data as never, { surfaceOp: 'append' })
    session.append('turn/end', { turn: number, reason: { kind: 'completed' } })
    await store.flush(session)
  }
}

async function grown(turns: number) {
  const opened = await page()
  const session = await opened.store.create('a')
  await grow(opened, session, turns)
  return { ...opened, session, opened }
}

const count = async (name: string): Promise<number> => (await countRecords(name))['segments']!

describe('a merge', () => {
  test('joins small segments and changes no event', async () => {
    const { opened, session, name, connection } = await grown(10)
    expect(await count(name)).toBe(10)
    expect(await connection.call('merge', 'a')).toBe(9)
    expect(await count(name)).toBe(1)
    expect((await (await tab(opened)).store.inspect('a')).events).toEqual(session.events)
  })

  test('of what is merged already saves nothing', async () => {
    const { connection } = await grown(3)
    await connection.call('merge', 'a')
    expect(await connection.call('merge', 'a')).toBe(0)
  })

  test('of nobody, and of an empty session, saves nothing', async () => {
    const { store, connection } = await page()
    await store.create('empty', { seed: [] })
    expect(await connection.call('merge', 'empty')).toBe(0)
    expect(await connection.call('merge', 'nobody')).toBe(0)
  })

  test('disturbs no writer', async () => {
    const { opened, session, store, connection } = await grown(5)
    const merging = connection.call('merge', 'a')
    await grow(opened, session, 2)
    await merging
    expect(await store.flush(session)).toBe(true)
    expect((await (await tab(opened)).store.inspect('a')).events).toEqual(session.events)
  })

  test('packs the deltas of many batches into rows', async () => {
    const opened = await page()
    const session = await opened.store.create('a', { seed: log(start(1)) })
    for (let i = 0; i < 12; i++) {
      session.append('assistant/chunk', delta(`${i}`).data as never)
      await opened.store.flush(session)
    }
    const before = (await segments(opened.name)).reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
    await opened.connection.call('merge', 'a')
    const after = await segments(opened.name)
    expect(after).toHaveLength(1)
    expect(after[0]!.bytes.byteLength).toBeLessThan(before / 2)
    expect((await (await tab(opened)).store.inspect('a')).events.slice(0, 13)).toEqual(session.events)
  })

  test('keeps fork points, titles and open turns for later forks', async () => {
    const { opened, session, store, connection } = await grown(2)
    session.append('session/title', title('t').data as never)
    await store.flush(session)
    await grow(opened, session, 2)
    await connection.call('merge', 'a')
    const other = await tab(opened)
    expect((await other.store.forkPoints('a')).map(({ seq }) => seq)).toEqual([2, 5, 9, 12])
    await other.store.fork('a', 5, 'before')
    await other.store.fork('a', 9, 'after')
    const listed = Object.fromEntries((await other.store.stored()).map((row) => [row.header.id, row]))
    expect(listed['before']).toMatchObject({ length: 6, openTurn: false })
    expect(listed['before']).not.toHaveProperty('title')
    expect(listed['after']).toMatchObject({ length: 10, title: 't', openTurn: false })
  })
})

describe('forks of a merged session', () => {
  test('made before it stay whole', async () => {
    const { opened, session, store, connection } = await grown(8)
    await store.fork('a', 8, 'b')
    await store.fork('a', 14, 'c')
    await connection.call('merge', 'a')
    const other = await tab(opened)
    expect((await other.store.inspect('b')).events).toEqual(session.slice(0, 9))
    expect((await other.store.inspect('c')).events).toEqual(session.slice(0, 15))
    expect((await other.store.inspect('a')).events).toEqual(session.events)
  })

  test('still keep a whole number of segments: no merge goes over the end of a span', async () => {
    const { store, name, connection } = await grown(8)
    await store.fork('a', 8, 'b')
    await connection.call('merge', 'a')
    expect((await segments(name)).map(({ first, count }) => [first, count])).toEqual([
      [0, 9],
      [9, 15],
    ])
  })

  test('made inside one segment stay whole', async () => {
    const opened = await page()
    const session = await opened.store.create('a', { seed: log(turn(1), turn(2)) })
    await opened.store.fork('a', 2, 'b')
    await grow(opened, session, 4)
    await opened.connection.call('merge', 'a')
    expect((await segments(opened.name)).map(({ first, count }) => [first, count])).toEqual([
      [0, 6],
      [6, 12],
    ])
    const other = await tab(opened)
    expect((await other.store.inspect('b')).events).toEqual(session.slice(0, 3))
    expect((await other.store.inspect('a')).events).toEqual(session.events)
  })

  test('stay whole when the merged session is deleted, and it is trimmed to what they need', async () => {
    const { opened, session, store, connection, name } = await grown(8)
    await connection.call('merge', 'a')
    await store.fork('a', 8, 'b')
    await store.delete('a')
    expect((await segments(name)).map(({ first, count }) => [first, count])).toEqual([[0, 9]])
    expect((await (await tab(opened)).store.inspect('b')).events).toEqual(session.slice(0, 9))
  })

  test('are merged by their own events alone', async () => {
    const { opened, session, store, connection, name } = await grown(3)
    const child = await store.fork(session, 8, 'b')
    await grow(opened, child, 3)
    expect(await connection.call('merge', 'b')).toBe(2)
    expect(await count(name)).toBe(4)
    expect((await (await tab(opened)).store.inspect('b')).events).toEqual(child.events)
  })
})

test('imported bytes stay as they came', async () => {
  const opened = await page()
  // Not packed, and with spaces that our own writer would not put there.
  const lines = log(start(1), delta('a'), delta('b'), delta('c')).map((event) => JSON.stringify(event, null, 1))
  const file = fileOf(lines.map((line) => line.replaceAll('\n', ' ')))
  await opened.store.importLog(new Blob([file as Uint8Array<ArrayBuffer>]), { id: 'a' })
  const session = await opened.store.load('a')
  const [imported] = await segments(opened.name)
  await grow(opened, session, 5)
  await opened.connection.call('merge', 'a')
  const after = await segments(opened.name)
  expect(after.map(({ own }) => own)).toEqual([false, true])
  expect(after[0]).toEqual(imported)
  expect((await (await tab(opened)).store.inspect('a')).events).toEqual(session.events)
})

test('many small appends merge by themselves', async () => {
  const { opened, session, name } = await grown(70)
  await vi.waitFor(async () => expect(await count(name)).toBeLessThan(20))
  expect((await (await tab(opened)).store.inspect('a')).events).toEqual(session.events)
})

test('many small appends merge by themselves also when every page adds a few', async () => {
  let opened = await page()
  await opened.store.release(await opened.store.create('a', { seed: log(turn(1)) }))
  for (let pages = 0; pages < 8; pages++) {
    opened = await tab(opened)
    const session = await opened.store.load('a')
    await grow(opened, session, 10)
    await opened.store.close()
  }
  const { store, name } = await tab(opened)
  expect(await count(name)).toBeLessThan(40)
  expect((await store.inspect('a')).events).toHaveLength(243)
})
