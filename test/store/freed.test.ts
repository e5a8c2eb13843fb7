import { describe, expect, test } from 'vitest'
import { log, turn } from '../log/support.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, createInTurns } from '../support/logs.js'
import { countRecords } from '../support/page.js'
import { NOTHING, storedEvents } from '../support/records.js'

describe('what nobody reaches is freed', () => {
  test('everything, when everything is deleted', async () => {
    const opened = await page()
    const { store } = opened
    await createInTurns(opened, 'a', 3)
    for (const [id, from, at] of [
      ['b', 'a', 5],
      ['c', 'b', 2],
      ['d', 'a', 8],
    ] as const) {
      appendTurn(await store.fork(from, at, id), id, id)
      await store.flush(store.get(id)!)
    }
    await store.delete(['c', 'a', 'd', 'b'])
    expect(await countRecords(opened.name)).toEqual(NOTHING)
  })

  test.each([
    [['a', 'b', 'c']],
    [['a', 'c', 'b']],
    [['b', 'a', 'c']],
    [['b', 'c', 'a']],
    [['c', 'a', 'b']],
    [['c', 'b', 'a']],
  ])('everything, deleted one by one in the order %s', async (order) => {
    const opened = await page()
    const { store } = opened
    await createInTurns(opened, 'a', 2)
    appendTurn(await store.fork('a', 2, 'b'), 'b', 'b')
    await store.flush(store.get('b')!)
    appendTurn(await store.fork('b', undefined, 'c'), 'c', 'c')
    await store.flush(store.get('c')!)
    for (const id of order) await store.delete(id)
    expect(await countRecords(opened.name)).toEqual(NOTHING)
  })

  test('segments after the last boundary that a fork needs', async () => {
    const opened = await page()
    await createInTurns(opened, 'a', 4)
    await opened.store.fork('a', 5, 'b')
    expect(await storedEvents(opened)).toBe(12)
    await opened.store.delete('a')
    expect(await storedEvents(opened)).toBe(6)
  })

  test('the events after that boundary inside one segment', async () => {
    const opened = await page()
    await opened.store.create('a', { seed: log(turn(1), turn(2), turn(3)) })
    await opened.store.fork('a', 2, 'b')
    await opened.store.delete('a')
    expect(await storedEvents(opened)).toBe(3)
    expect((await (await tab(opened)).store.inspect('b')).events).toEqual(log(turn(1)))
  })

  test('only up to the longest of several forks', async () => {
    const opened = await page()
    const { store } = opened
    await createInTurns(opened, 'a', 4)
    await store.fork('a', 2, 'b')
    await store.fork('a', 8, 'c')
    await store.delete('a')
    expect(await storedEvents(opened)).toBe(9)
    await store.delete('c')
    expect(await storedEvents(opened)).toBe(3)
    expect((await store.inspect('b')).events).toHaveLength(3)
  })

  test('not what a fork of a deleted fork still needs', async () => {
    const opened = await page()
    const { store } = opened
    const a = await createInTurns(opened, 'a', 3)
    const b = await store.fork('a', 8, 'b')
    const c = await store.fork(b, 5, 'c')
    await store.delete(['a', 'b'])
    expect(await storedEvents(opened)).toBe(6)
    expect((await store.inspect('c')).events).toEqual(a.slice(0, 6))
    expect(c.events).toEqual(a.slice(0, 6))
  })

  test('a trimmed segment keeps turns and titles for later forks', async () => {
    const opened = await page()
    await opened.store.create('a', { seed: log(turn(1), turn(2), turn(3)) })
    await opened.store.fork('a', 5, 'b')
    await opened.store.delete('a')
    const { store } = await tab(opened)
    expect((await store.forkPoints('b')).map(({ seq }) => seq)).toEqual([2, 5])
    await store.fork('b', 2, 'c')
    expect((await store.stored()).every(({ openTurn }) => !openTurn)).toBe(true)
  })
})
