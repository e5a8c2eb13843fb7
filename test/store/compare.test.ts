import { describe, expect, test } from 'vitest'
import type { SessionEvent, SessionStore } from 'idb-sessions'
import { fileOf, log, start, title, turn, user, type Draft } from '../log/support.js'
import { overtake, write } from '../support/behind.js'
import { beforeCall } from '../support/calls.js'
import { stored } from '../support/crashed.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'
import { damage } from '../support/records.js'

const TWO = log(turn(1), turn(2))
const NOT_FOUND = { name: 'SessionStoreError', code: 'SESSION_NOT_FOUND' }

async function open(seed: SessionEvent[] = TWO) {
  const opened = await page()
  return { ...opened, source: await opened.store.create('a', { seed }) }
}

/** Two sessions, neither of them live, from one file or two. */
async function imported(a: SessionEvent[], b = a): Promise<SessionStore> {
  const { store } = await page()
  for (const [id, events] of Object.entries({ a, b }))
    await store.importLog(new Blob([fileOf(events) as never]), { id })
  return store
}

describe('compare', () => {
  test('tells what a session and its fork share, and how each goes on', async () => {
    const { store, source } = await open()
    const child = await store.fork(source, 2, 'b')
    appendTurn(child, 'other', 'way')
    expect(await store.compare('a', 'b')).toEqual({ shared: 3, a: TWO.slice(3), b: child.slice(3) })
    expect(await store.compare('b', 'a')).toEqual({ shared: 3, a: child.slice(3), b: TWO.slice(3) })
  })

  test('tells the same when neither is live', async () => {
    const opened = await open()
    const child = await opened.store.fork('a', 2, 'b')
    appendTurn(child, 'other', 'way')
    await opened.store.flush(child)
    const { store } = await tab(opened)
    expect(await store.compare('a', 'b')).toEqual({ shared: 3, a: TWO.slice(3), b: child.slice(3) })
    expect(store.list()).toEqual([])
  })

  test('of one that is the other’s beginning has no rest of it', async () => {
    const { store } = await open()
    await store.fork('a', 2, 'b')
    expect(await store.compare('a', 'b')).toEqual({ shared: 3, a: TWO.slice(3), b: [] })
  })

  test('of siblings whose parent is deleted finds what they share', async () => {
    const opened = await open()
    for (const id of ['b', 'c']) await opened.store.release(await opened.store.fork('a', 2, id))
    await opened.store.delete('a')
    expect(await opened.store.compare('b', 'c')).toEqual({ shared: 3, a: [], b: [] })
  })

  test('of a session with itself shares all of it', async () => {
    const opened = await open()
    expect(await opened.store.compare('a', 'a')).toEqual({ shared: 6, a: [], b: [] })
    expect(await (await tab(opened)).store.compare('a', 'a')).toEqual({ shared: 6, a: [], b: [] })
  })

  test('of unrelated sessions shares nothing', async () => {
    const [a, b] = [log(title('a'), turn(1)), log(title('b'), turn(1))]
    expect(await (await imported(a, b)).compare('a', 'b')).toEqual({ shared: 0, a, b })
  })

  test('of two imports of one file shares all of it', async () => {
    expect(await (await imported(TWO)).compare('a', 'b')).toEqual({ shared: 6, a: [], b: [] })
  })

  test('of two imports goes on as far as they are alike, event for event', async () => {
    const [a, b] = [log(turn(1), turn(2, user('this'))), log(turn(1), turn(2, user('that')))]
    expect(await (await imported(a, b)).compare('a', 'b')).toEqual({ shared: 4, a: a.slice(4), b: b.slice(4) })
  })

  test('takes events for alike when their JSON text is: the order of keys counts', async () => {
    const header = (value: object): Draft => ({ type: 'feedback/record', data: value, ignorable: true })
    const [a, b] = [log(title('t'), header({ x: 1, y: 2 })), log(title('t'), header({ y: 2, x: 1 }))]
    expect((await (await imported(a, b)).compare('a', 'b')).shared).toBe(1)
  })

  test('goes beyond what is shared in storage', async () => {
    const { store } = await open()
    await store.fork('a', 2, 'b')
    const more = { type: 'todo/write', data: { todos: [] } } as const
    const same = log(turn(1), more)
    await store.importLog(new Blob([fileOf(same) as never]), { id: 'c' })
    store.get('b')!.append('todo/write', { todos: [] })
    expect((await store.compare('b', 'c')).shared).toBe(3)
    expect((await store.compare('a', 'c')).shared).toBe(3)
  })

  test('of a live session takes what is not stored yet', async () => {
    const opened = await open()
    beforeCall(opened, 'append', () => new Promise(() => {}), Infinity)
    const child = await opened.store.fork('a', 2, 'b')
    appendTurn(child, 'not', 'stored')
    expect((await opened.store.compare('a', 'b')).b).toEqual(child.slice(3))
  })

  test('of a live session is as it was at the call', async () => {
    const { store, source } = await open()
    await store.fork('a', 5, 'b')
    const comparing = store.compare('a', 'b')
    appendTurn(source, 'too', 'late')
    expect(await comparing).toEqual({ shared: 6, a: [], b: [] })
  })

  test('of a session that never got an event shares nothing', async () => {
    const { store } = await open()
    await store.create('b')
    expect(await store.compare('a', 'b')).toEqual({ shared: 0, a: TWO, b: [] })
  })

  test('of a session that another writer has taken over is of what this page has', async () => {
    const opened = await open()
    const child = await opened.store.fork('a', 2, 'b')
    const other = await tab(opened)
    await write(other, 'b', await overtake(other, 'b'), log(turn(1), turn(2)).slice(3))
    beforeCall(opened, 'append', () => new Promise(() => {}), Infinity)
    beginTurn(child, 'from here')
    expect(await opened.store.compare('a', 'b')).toEqual({ shared: 3, a: TWO.slice(3), b: child.slice(3) })
  })

  test('closes no open turn', async () => {
    const { store } = await stored(log(turn(1), start(2)))
    await store.fork('a', 2, 'b')
    expect(await store.compare('a', 'b')).toMatchObject({ shared: 3, a: [{ type: 'turn/start' }], b: [] })
  })

  test('does not read what is shared in storage', async () => {
    const { store, name } = await stored(log(turn(1, user('x'.repeat(50_000))), turn(2)))
    await store.release(await store.fork('a', 2, 'b'))
    await damage(name, (segment) => (segment.first < 2 ? undefined : segment))
    expect((await store.compare('a', 'b')).a).toHaveLength(3)
  })

  test('gives frozen arrays of frozen events', async () => {
    const { store } = await open()
    await store.fork('a', 2, 'b')
    const { a, b } = await store.compare('a', 'b')
    for (const value of [a, b, a[0]]) expect(Object.isFrozen(value)).toBe(true)
  })

  test('of long logs gives the page its turns', async () => {
    const store = await imported(log(...Array.from({ length: 20_000 }, (_, i) => title(`${i}`))))
    let turns = 0
    const timer = setInterval(() => turns++)
    expect((await store.compare('a', 'b')).shared).toBe(20_000)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(3)
  })
})

describe('compare is refused', () => {
  test.each([
    ['a', 'nobody'],
    ['nobody', 'a'],
  ])('for an id that is not there: %s and %s', async (a, b) => {
    const { store } = await open()
    await expect(store.compare(a, b)).rejects.toMatchObject({ ...NOT_FOUND, sessionId: 'nobody' })
  })

  test('for an id that is only reserved by another page', async () => {
    const opened = await open()
    await opened.store.create('b')
    await expect((await tab(opened)).store.compare('a', 'b')).rejects.toMatchObject(NOT_FOUND)
  })

  test('for damage in what is not shared', async () => {
    const { store, name } = await stored(log(turn(1, user('x'.repeat(50_000))), turn(2)))
    await store.release(await store.fork('a', 2, 'b'))
    await damage(name, (segment) => (segment.first < 2 ? segment : undefined))
    const corrupt = { name: 'SessionStoreError', code: 'SESSION_CORRUPT', sessionId: 'a' }
    await expect(store.compare('a', 'b')).rejects.toMatchObject(corrupt)
  })

  test('for a session that is deleted and made anew on the way', async () => {
    const opened = await stored(TWO)
    const { store } = opened
    await store.create('b', { seed: log(turn(1)) })
    const other = await tab(opened)
    beforeCall(opened, 'read', async () => {
      await other.store.delete('a')
      await other.store.create('a', { seed: TWO })
    })
    await expect(store.compare('a', 'b')).rejects.toMatchObject(NOT_FOUND)
  })
})
