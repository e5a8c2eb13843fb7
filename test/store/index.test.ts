import { describe, expect, test, vi } from 'vitest'
import type { StoredSession } from 'idb-sessions'
import { log, start, turn } from '../log/support.js'
import { remove } from '../support/behind.js'
import { beforeCall, gate, noRoom, watchCalls } from '../support/calls.js'
import { countFrames } from '../support/frames.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'
import { inBrowser, type Page } from '../support/page.js'

/** The only event of a session is of this time. */
const at = (time: number) => ({ seed: log({ ...start(1), time }), meta: { createdAt: 1 } })

const idsOf = (rows: readonly StoredSession[]): string[] => rows.map(({ header }) => header.id)

/** A page whose index is read, and what it was each time it told of a change. */
async function watch(opened: Page) {
  const { index } = opened.store
  const told: (readonly StoredSession[])[] = []
  const off = index.subscribe(() => told.push(index.current))
  await vi.waitFor(() => expect(told).toHaveLength(1))
  return { ...opened, index, told, off }
}

/** Sessions that are live here, the last one with the newest activity. */
async function open(...ids: string[]) {
  const opened = await page()
  for (const [i, id] of ids.entries()) await opened.store.create(id, at(i + 1))
  return watch(opened)
}

describe('index', () => {
  test('is empty until it was read, and then told of', async () => {
    const { store } = await page()
    await store.create('a', at(1))
    const { index } = store
    const listener = vi.fn()
    index.subscribe(listener)
    expect(index.current).toEqual([])
    await vi.waitFor(() => expect(listener).toHaveBeenCalledOnce())
    expect(index.current).toEqual(await store.stored())
  })

  test('is read when it is first used, and not before', async () => {
    const opened = await page()
    const calls = watchCalls(opened)
    await opened.store.create('a', at(1))
    expect(calls).not.toContain('list')
    expect(opened.store.index.current).toEqual([])
    await vi.waitFor(() => expect(idsOf(opened.store.index.current)).toEqual(['a']))
    expect(calls.filter((name) => name === 'list')).toHaveLength(1)
  })

  test('is read whole once, and from then on only what changed', async () => {
    const opened = await page()
    await opened.store.create('a', at(1))
    const calls = watchCalls(opened)
    const { index, store } = await watch(opened)
    await store.create('b', at(2))
    await store.setTitle('a', 'mine')
    await vi.waitFor(() => expect(index.current).toMatchObject([{ length: 1 }, { title: 'mine' }]))
    expect(calls.filter((name) => name === 'list')).toHaveLength(1)
  })

  test('holds what changed while it was read', async () => {
    const opened = await page()
    const { opened: answered, open: answer } = gate()
    beforeCall(opened, 'list', () => answered)
    const { store } = opened
    store.index.subscribe(() => {})
    await store.create('a', at(1))
    answer()
    await vi.waitFor(() => expect(idsOf(store.index.current)).toEqual(['a']))
  })

  test('is the same frozen array until it changes', async () => {
    const { index, store } = await open('a', 'b')
    const before = index.current
    await store.stored()
    expect(index.current).toBe(before)
    expect(Object.isFrozen(before)).toBe(true)
    await store.setTitle('a', 'mine')
    await vi.waitFor(() => expect(index.current).not.toBe(before))
    expect(before).not.toMatchObject([{}, { title: 'mine' }])
  })

  test('keeps the rows that did not change, and the headers of all', async () => {
    const { index, store } = await open('a', 'b')
    const [b, a] = index.current
    expect([a, b].every(Object.isFrozen)).toBe(true)
    await store.setTitle('a', 'mine')
    await vi.waitFor(() => expect(index.current[1]).not.toBe(a))
    expect(index.current[0]).toBe(b)
    expect(index.current[1]!.header).toBe(a!.header)
  })

  test('is in the order of stored(), also after sessions grew', async () => {
    const { index, store } = await open('a', 'b', 'c')
    expect(idsOf(index.current)).toEqual(['c', 'b', 'a'])
    appendTurn(store.get('b')!, 'hi', 'hello')
    await vi.waitFor(() => expect(idsOf(index.current)).toEqual(['b', 'c', 'a']))
    expect(index.current).toEqual(await store.stored())
  })

  test.each<[string, (page: Page) => Promise<unknown>, string[]]>([
    ['created', ({ store }) => store.create('c', at(9)), ['c', 'b', 'a']],
    ['forked', ({ store }) => store.branchBefore('a', 0, 'c'), ['c', 'b', 'a']],
    ['deleted', ({ store }) => store.delete('a'), ['b']],
    ['reserved, and nothing else', ({ store }) => store.create('c'), ['b', 'a']],
  ])('follows what is %s', async (_, change, expected) => {
    const opened = await open('a', 'b')
    await change(opened)
    await opened.store.setTitle('b', 'last')
    await vi.waitFor(() => expect(opened.index.current.some(({ title }) => title === 'last')).toBe(true))
    expect(idsOf(opened.index.current)).toEqual(expected)
  })

  test('follows what is imported', async () => {
    const { index, store } = await open('a')
    await store.importLog(await new Response(await store.exportLog('a')).text(), { id: 'b' })
    await vi.waitFor(() => expect(idsOf(index.current)).toEqual(['a', 'b']))
  })

  test('follows a session that is released and loaded, without reading', async () => {
    const opened = await open('a', 'b')
    const { index, store, told } = opened
    const [b] = index.current
    const calls = watchCalls(opened)
    await store.release(store.get('a')!)
    expect(index.current).toMatchObject([{ writer: 'here' }, { writer: 'none' }])
    expect(index.current[0]).toBe(b)
    await vi.waitFor(() => expect(told).toHaveLength(2))
    expect(calls).not.toContain('rows')
    await store.load('a')
    expect(index.current).toMatchObject([{ writer: 'here' }, { writer: 'here' }])
  })

  test('follows a session that another writer has deleted, as soon as this page learns it', async () => {
    const opened = await open('a', 'b')
    await remove(await tab(opened), 'a')
    beginTurn(opened.store.get('a')!, 'hi')
    await vi.waitFor(() => expect(idsOf(opened.index.current)).toEqual(['b']))
  })

  test('follows an id that is used again', async () => {
    const { index, store } = await open('a')
    await store.delete('a')
    await store.create('a', { seed: log(turn(1)), meta: { cwd: '/new' } })
    await vi.waitFor(() => expect(index.current).toMatchObject([{ header: { cwd: '/new' }, length: 3 }]))
  })

  test('after close stays as it is', async () => {
    const { index, store } = await open('a')
    await store.close()
    const last = index.current
    expect(last).toMatchObject([{ header: { id: 'a' }, writer: 'none' }])
    expect(index.current).toBe(last)
  })

  test('first used after close is empty', async () => {
    const { store } = await page()
    await store.create('a', at(1))
    await store.close()
    expect(store.index.current).toEqual([])
  })
})

describe('an index that cannot be read', () => {
  test('is read with the next change', async () => {
    const opened = await page()
    const { store } = opened
    await store.create('a', at(1))
    const makeRoom = noRoom(opened, 'list')
    const calls = watchCalls(opened)
    expect(store.index.current).toEqual([])
    await vi.waitFor(() => expect(calls).toContain('list'))
    makeRoom()
    await store.create('b', at(2))
    await vi.waitFor(() => expect(idsOf(store.index.current)).toEqual(['b', 'a']))
  })

  test('is read by whoever subscribes next', async () => {
    const opened = await page()
    const { store } = opened
    await store.create('a', at(1))
    beforeCall(opened, 'list', () => Promise.reject(new Error('no')))
    store.index.subscribe(() => {})
    // It comes after the one that failed.
    await store.stored()
    store.index.subscribe(() => {})
    await vi.waitFor(() => expect(idsOf(store.index.current)).toEqual(['a']))
  })

  test('keeps what it had, and reads both rows with the next change', async () => {
    const opened = await open('a', 'b')
    const { index, store } = opened
    const before = index.current
    const makeRoom = noRoom(opened, 'rows')
    const calls = watchCalls(opened)
    await store.setTitle('a', 'first')
    await vi.waitFor(() => expect(calls).toContain('rows'))
    expect(index.current).toBe(before)
    makeRoom()
    await store.setTitle('b', 'second')
    await vi.waitFor(() => expect(index.current).toMatchObject([{ title: 'second' }, { title: 'first' }]))
  })
})

describe('subscribe', () => {
  test('tells at most once per frame while a session streams, and each time of something new', async () => {
    const { index, store, told } = await open('a', 'b')
    const session = store.get('a')!
    const frames = countFrames()
    for (let i = 0; i < 100; i++) {
      session.append('todo/write', { todos: [] })
      await store.flush(session)
    }
    await vi.waitFor(() => expect(index.current[0]).toMatchObject({ length: 101 }))
    await vi.waitFor(() => expect(told.at(-1)).toBe(index.current))
    expect(told.length).toBeLessThan(Math.max(60, frames() + 2))
    expect(new Set(told).size).toBe(told.length)
  })

  test('tells once of what changes in one frame', async () => {
    const { index, store, told } = await open('a', 'b', 'c')
    const frames = countFrames()
    await Promise.all(store.list().map((session) => store.release(session)))
    await vi.waitFor(() => expect(told.at(-1)).toBe(index.current))
    expect(index.current.every(({ writer }) => writer === 'none')).toBe(true)
    // One engine gets more done in a frame than another.
    expect(told.length).toBeLessThanOrEqual(Math.max(3, frames() + 1))
  })

  test('tells nothing when nothing that is listed changed', async () => {
    const { store, told } = await open('a')
    await store.setTitle('a', 'mine')
    await vi.waitFor(() => expect(told).toHaveLength(2))
    await store.setTitle('a', 'mine')
    await store.setTitle('a', 'other')
    await vi.waitFor(() => expect(told.at(-1)).toMatchObject([{ title: 'other' }]))
    expect(told).toHaveLength(3)
  })

  test('is bound, and returns what ends it', async () => {
    const { index, store, told, off } = await open('a')
    const { subscribe } = index
    off()
    const stays = vi.fn()
    subscribe(stays)
    await store.setTitle('a', 'mine')
    await vi.waitFor(() => expect(stays).toHaveBeenCalled())
    expect(told).toHaveLength(1)
  })

  test('goes on when a listener fails', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { index, store } = await open('a')
    index.subscribe(() => {
      throw new Error('mine')
    })
    const second = vi.fn()
    index.subscribe(second)
    await store.setTitle('a', 'mine')
    await vi.waitFor(() => expect(second).toHaveBeenCalled())
    expect(reported).toHaveBeenCalled()
    reported.mockRestore()
  })
})

describe.skipIf(!inBrowser)('index of a page that comes back from the cache (browser only: Node has no pages)', () => {
  const comeBack = (): boolean => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))

  test('has what changed behind it, and tells nothing when nothing did', async () => {
    const opened = await open('a', 'b')
    const { index, store, told } = opened
    await store.release(store.get('a')!)
    await vi.waitFor(() => expect(told.at(-1)).toMatchObject([{ writer: 'here' }, { writer: 'none' }]))
    const before = told.length
    comeBack()
    await store.setTitle('b', 'a sign')
    await vi.waitFor(() => expect(told).toHaveLength(before + 1))
    await remove(opened, 'a')
    comeBack()
    await vi.waitFor(() => expect(idsOf(index.current)).toEqual(['b']))
  })

  test('is read once more when it comes back while it is read', async () => {
    const opened = await page()
    await opened.store.create('a', at(1))
    await opened.store.create('b', at(2))
    await opened.store.release(opened.store.get('a')!)
    const { opened: answered, open: answer } = gate()
    beforeCall(opened, 'list', () => answered)
    const calls = watchCalls(opened)
    const { index } = opened.store
    index.subscribe(() => {})
    await vi.waitFor(() => expect(calls).toContain('list'))
    comeBack()
    answer()
    await vi.waitFor(() => expect(calls.filter((name) => name === 'list')).toHaveLength(2))
    expect(idsOf(index.current)).toEqual(['b', 'a'])
  })
})
