import { describe, expect, test, vi } from 'vitest'
import type { StoredChange } from 'idb-sessions'
import { end, log, start, title, turn } from '../log/support.js'
import { stored } from '../support/crashed.js'
import { countFrames } from '../support/frames.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'

const at = (time: number, draft = start(1)) => ({ ...draft, time })

describe('stored', () => {
  test('of an empty store is empty', async () => {
    const { store } = await page()
    expect(await store.stored()).toEqual([])
  })

  test('tells header, length and own events', async () => {
    const { store } = await page()
    const source = await store.create('a', { seed: log(turn(1)), meta: { cwd: '/x', createdAt: 5 } })
    const child = await store.fork(source, 2, 'b')
    appendTurn(child, 'more', 'text')
    await store.flush(child)
    const [b, a] = await store.stored()
    expect(b).toMatchObject({ header: child.header, length: 12, own: 9 })
    expect(a).toEqual({
      header: source.header,
      length: 3,
      own: 3,
      lastTime: source.at(2)!.time,
      openTurn: false,
      writer: 'here',
    })
    expect(Object.isFrozen(a!.header)).toBe(true)
  })

  test('lists the newest activity first', async () => {
    const { store } = await page()
    for (const [id, time] of Object.entries({ b: 20, c: 30, a: 10 })) {
      await store.create(id, { seed: log(at(time)), meta: { createdAt: 1 } })
    }
    expect((await store.stored()).map(({ header }) => header.id)).toEqual(['c', 'b', 'a'])
    const a = store.get('a')!
    a.append('turn/end', { turn: 1, reason: { kind: 'completed' } })
    await store.flush(a)
    expect((await store.stored()).map(({ header }) => header.id)).toEqual(['a', 'c', 'b'])
  })

  test('lists equal activity in the same order every time', async () => {
    const first = await page()
    for (const id of ['b', 'c', 'a']) await first.store.create(id, { seed: log(at(20)), meta: { createdAt: 1 } })
    const order = (await first.store.stored()).map(({ header }) => header.id)
    expect((await (await tab(first)).store.stored()).map(({ header }) => header.id)).toEqual(order)
  })

  test('takes the creation for the first activity', async () => {
    const { store } = await page()
    await store.create('a', { seed: [], meta: { createdAt: 50 } })
    await store.create('b', { seed: log(at(20)), meta: { createdAt: 40 } })
    expect((await store.stored()).map(({ lastTime }) => lastTime)).toEqual([50, 40])
  })

  test('lastTime never goes back, though the time of events may', async () => {
    const { store } = await page()
    await store.create('a', { seed: log(at(90), at(20, end(1))), meta: { createdAt: 1 } })
    expect(await store.stored()).toMatchObject([{ lastTime: 90 }])
  })

  test('lastTime of a fork is not before the fork', async () => {
    const { store } = await page()
    const source = await store.create('a', { seed: log(at(10), at(20, end(1))), meta: { createdAt: 1 } })
    const child = await store.fork(source)
    const listed = await store.stored()
    expect(listed[0]).toMatchObject({ header: { id: child.id }, lastTime: child.header.createdAt })
  })

  test.each([
    ['open', log(turn(1), start(2)), true],
    ['closed', log(turn(1), start(2), end(2)), false],
    ['never begun', log(title('t')), false],
  ])('openTurn: %s', async (_, seed, openTurn) => {
    const { store } = await page()
    await store.create('a', { seed })
    expect(await store.stored()).toMatchObject([{ openTurn }])
  })

  test('openTurn follows appends', async () => {
    const { store } = await page()
    const session = await store.create('a')
    beginTurn(session, 'hi')
    await store.flush(session)
    expect(await store.stored()).toMatchObject([{ openTurn: true }])
    session.append('turn/end', { turn: 1, reason: { kind: 'completed' } })
    await store.flush(session)
    expect(await store.stored()).toMatchObject([{ openTurn: false }])
  })

  test('openTurn of a fork is that of its prefix', async () => {
    const { store } = await page()
    await store.create('a', { seed: log(turn(1), start(2)) })
    await store.fork('a', 2, 'b')
    const listed = await store.stored()
    expect(listed.find(({ header }) => header.id === 'b')).toMatchObject({ openTurn: false })
  })

  test('title is the last one of the log', async () => {
    const { store } = await page()
    const session = await store.create('a', { seed: log(title('old'), turn(1), title('new')) })
    expect(await store.stored()).toMatchObject([{ title: 'new' }])
    session.append('session/title', { title: 'newest', messageSeqs: [], source: { kind: 'user' } })
    await store.flush(session)
    expect(await store.stored()).toMatchObject([{ title: 'newest' }])
  })

  test('title of a fork is the last one of its prefix', async () => {
    const { store } = await page()
    await store.create('a', { seed: log(title('one'), turn(1), title('two'), turn(2)) })
    const child = await store.fork('a', 3)
    expect((await store.stored()).find(({ header }) => header.id === child.id)).toMatchObject({ title: 'one' })
  })

  test('title is absent when the log has none', async () => {
    const { store } = await page()
    await store.create('a', { seed: log(turn(1)) })
    expect((await store.stored())[0]).not.toHaveProperty('title')
  })

  test('writer tells what is live here', async () => {
    const first = await page()
    const session = await first.store.create('a', { seed: log(turn(1)) })
    expect(await first.store.stored()).toMatchObject([{ writer: 'here' }])
    await first.store.release(session)
    expect(await first.store.stored()).toMatchObject([{ writer: 'none' }])
  })
})

describe('stored/changed', () => {
  async function watched() {
    const { store } = await page()
    const changes: StoredChange[] = []
    store.on('stored/changed', (change) => void changes.push(change))
    return { store, changes }
  }

  test('tells of what is created, by create, fork and import', async () => {
    const { store, changes } = await watched()
    await store.create('a', { seed: log(turn(1)) })
    await store.fork('a', 2, 'b')
    const text = await new Response(await store.exportLog('a')).text()
    await store.importLog(text, { id: 'c' })
    expect(changes).toEqual(['a', 'b', 'c'].map((id) => ({ id, kind: 'created', length: 3 })))
  })

  test('tells of growth once it is stored, with the stored length', async () => {
    const { store, changes } = await watched()
    const session = await store.create('a', { seed: [] })
    appendTurn(session, 'hi', 'hello')
    await vi.waitFor(() => expect(changes.at(-1)).toEqual({ id: 'a', kind: 'grown', length: session.seq }))
  })

  test('tells of growth at most once per frame', async () => {
    const { store, changes } = await watched()
    const session = await store.create('a', { seed: [] })
    const frames = countFrames()
    for (let i = 0; i < 30; i++) {
      session.append('turn/start', { turn: i + 1 })
      await store.flush(session)
    }
    await vi.waitFor(() => expect(changes.at(-1)).toMatchObject({ kind: 'grown', length: 30 }))
    const lengths = changes.filter(({ kind }) => kind === 'grown').map(({ length }) => length)
    expect(lengths).toEqual([...new Set(lengths)].sort((a, b) => a - b))
    expect(lengths.length).toBeLessThan(Math.max(30, frames() + 2))
  })

  test('tells of a load that closed a turn', async () => {
    const { store } = await stored(log(start(1)))
    const changed = vi.fn()
    store.on('stored/changed', changed)
    await store.load('a')
    await vi.waitFor(() => expect(changed).toHaveBeenCalledWith({ id: 'a', kind: 'grown', length: 2 }))
  })

  test('tells of what is deleted', async () => {
    const { store, changes } = await watched()
    await store.create('a', { seed: log(turn(1)) })
    await store.delete(['a', 'nobody'])
    expect(changes.slice(1)).toEqual([{ id: 'a', kind: 'deleted', length: 0 }])
  })

  test('tells of a session that was only reserved when it gets its first event, and of nothing before', async () => {
    const { store, changes } = await watched()
    await store.delete((await store.create('unused')).id)
    const session = await store.create('a')
    expect(changes).toEqual([])
    session.append('plan/mode', { active: true })
    await store.flush(session)
    expect(changes).toEqual([{ id: 'a', kind: 'created', length: 1 }])
  })

  test('tells nothing more of a session after it was deleted', async () => {
    const { store, changes } = await watched()
    const session = await store.create('a', { seed: [] })
    const other = await store.create('b', { seed: [] })
    appendTurn(session, 'hi', 'hello')
    await store.flush(session)
    await store.delete('a')
    appendTurn(other, 'hi', 'hello')
    await vi.waitFor(() => expect(changes.at(-1)).toMatchObject({ id: 'b', kind: 'grown' }))
    expect(changes.filter(({ id }) => id === 'a').at(-1)).toMatchObject({ kind: 'deleted' })
  })

  test('does not tell of a refused fork, or a refused import', async () => {
    const { store, changes } = await watched()
    await store.create('a', { seed: log(start(1)) })
    await store.fork('a').catch(() => {})
    await store.importLog('nonsense\n').catch(() => {})
    expect(changes).toHaveLength(1)
  })
})
