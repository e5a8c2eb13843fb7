import { describe, expect, test, vi } from 'vitest'
import { end, log, start, turn } from '../log/support.js'
import { make, remove } from '../support/behind.js'
import { beforeCall } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, createInTurns } from '../support/logs.js'
import { countRecords } from '../support/page.js'
import { NOTHING, storedEvents } from '../support/records.js'

describe('the answer', () => {
  test('is deleted or missing, in the order of the ids', async () => {
    const { store } = await page()
    for (const id of ['a', 'b']) await store.create(id, { seed: [] })
    expect(await store.delete(['b', 'nobody', 'a'])).toEqual([
      { id: 'b', outcome: 'deleted' },
      { id: 'nobody', outcome: 'missing' },
      { id: 'a', outcome: 'deleted' },
    ])
    expect(await store.stored()).toEqual([])
  })

  test('takes one id as well', async () => {
    const { store } = await page()
    await store.create('a', { seed: [] })
    expect(await store.delete('a')).toEqual([{ id: 'a', outcome: 'deleted' }])
    expect(await store.delete('a')).toEqual([{ id: 'a', outcome: 'missing' }])
  })

  test('to no ids is empty', async () => {
    const { store } = await page()
    expect(await store.delete([])).toEqual([])
  })

  test('names an id that was given twice twice', async () => {
    const { store } = await page()
    await store.create('a', { seed: [] })
    expect(await store.delete(['a', 'a'])).toMatchObject([{ outcome: 'deleted' }, { outcome: 'deleted' }])
  })
})

describe('a live session', () => {
  test('is disposed first', async () => {
    const { store } = await page()
    const session = await store.create('a', { seed: log(turn(1)) })
    const disposed = vi.fn()
    store.on('session/disposed', disposed)
    await store.delete('a')
    expect(disposed).toHaveBeenCalledExactlyOnceWith(session)
    expect(session.state).toBe('deleted')
    expect(store.get('a')).toBeUndefined()
    expect(session.events).toHaveLength(3)
  })

  test('drops what it has not stored', async () => {
    const opened = await page()
    const { store } = opened
    const session = await store.create('a')
    let sent: Promise<unknown> = Promise.resolve()
    beforeCall(opened, 'append', () => (sent = store.delete('a')))
    appendTurn(session, 'hi', 'hello')
    await vi.waitFor(() => expect(session.state).toBe('deleted'))
    await sent
    await expect(store.flush(session)).rejects.toMatchObject({ code: 'SESSION_NOT_LIVE' })
    expect(await countRecords(opened.name)).toEqual(NOTHING)
  })

  test('that never got an event is deleted too', async () => {
    const { store, name } = await page()
    await store.create('a')
    expect(await store.delete('a')).toEqual([{ id: 'a', outcome: 'deleted' }])
    expect(await countRecords(name)).toEqual(NOTHING)
  })

  test('whose call waits is told: flush and release end', async () => {
    const opened = await page()
    const { store } = opened
    const session = await store.create('a')
    beforeCall(opened, 'append', () => store.delete('a'))
    appendTurn(session, 'hi', 'hello')
    await expect(store.flush(session)).rejects.toMatchObject({ name: 'SessionStoreError' })
    await store.release(session)
  })

  test('that another writer deleted learns it by its next append', async () => {
    const first = await page()
    const session = await first.store.create('a', { seed: log(turn(1)) })
    await remove(await tab(first), 'a')
    session.append('turn/start', { turn: 2 })
    await vi.waitFor(() => expect(session.state).toBe('deleted'))
    expect(await countRecords(first.name)).toEqual(NOTHING)
  })
})

describe('forks', () => {
  test('of a deleted session stay whole, and can be forked on', async () => {
    const opened = await page()
    const { store } = opened
    const source = await createInTurns(opened, 'a', 3)
    const child = await store.fork(source, 5, 'b')
    appendTurn(child, 'own', 'turn')
    await store.flush(child)
    await store.delete('a')
    const other = await tab(opened)
    expect((await other.store.inspect('b')).events).toEqual(child.events)
    expect((await other.store.fork('b', 2)).events).toEqual(child.slice(0, 3))
  })

  test('that are deleted leave their parent whole', async () => {
    const opened = await page()
    const source = await createInTurns(opened, 'a', 2)
    appendTurn(await opened.store.fork(source, 2, 'b'), 'own', 'turn')
    await opened.store.release(opened.store.get('b')!)
    await opened.store.delete('b')
    expect((await (await tab(opened)).store.inspect('a')).events).toEqual(source.events)
    expect(await storedEvents(opened)).toBe(6)
    expect(await countRecords(opened.name)).toMatchObject({ lineages: 0 })
  })

  test('of forks stay whole when the middle goes', async () => {
    const opened = await page()
    const { store } = opened
    await createInTurns(opened, 'a', 1)
    const b = await store.fork('a', 2, 'b')
    appendTurn(b, 'b', 'b')
    const c = await store.fork(b, undefined, 'c')
    appendTurn(c, 'c', 'c')
    await store.flush(c)
    await store.delete('b')
    const other = await tab(opened)
    expect((await other.store.inspect('c')).events).toEqual(c.events)
    expect((await other.store.inspect('a')).events).toHaveLength(3)
  })

  test('keep the name of a parent that is gone', async () => {
    const { store } = await page()
    await store.create('a', { seed: log(turn(1)) })
    await store.fork('a', 2, 'b')
    await store.delete('a')
    expect((await store.inspect('b')).header.parentSession).toBe('a')
  })
})

describe('the id of a deleted session', () => {
  test('can be used again, by create, fork and import', async () => {
    const { store } = await page()
    await store.create('source', { seed: log(turn(1)) })
    await store.create('a', { seed: log(turn(1)) })
    await store.delete('a')
    expect((await store.create('a', { seed: log(start(1)) })).events).toHaveLength(1)
    await store.delete('a')
    expect((await store.fork('source', 2, 'a')).events).toHaveLength(3)
    await store.delete('a')
    const text = await new Response(await store.exportLog('source')).text()
    expect((await store.importLog(text, { id: 'a' })).session.length).toBe(3)
  })

  test('a late append of its old writer reaches nothing', async () => {
    const first = await page()
    const old = await first.store.create('a', { seed: log(turn(1)) })
    const second = await tab(first)
    const fresh = log(start(1), end(1), start(2))
    await remove(second, 'a')
    await make(second, 'a', fresh)
    appendTurn(old, 'late', 'late')
    await vi.waitFor(() => expect(old.state).not.toBe('live'))
    await expect(first.store.flush(old)).rejects.toMatchObject({ name: 'SessionStoreError' })
    expect((await second.store.inspect('a')).events.slice(0, 3)).toEqual(fresh)
    expect(await second.store.stored()).toMatchObject([{ length: 3 }])
  })

  test('a late fork from its old writer makes nothing', async () => {
    const first = await page()
    const old = await first.store.create('a', { seed: log(turn(1)) })
    const second = await tab(first)
    await remove(second, 'a')
    await make(second, 'a', log(turn(1)))
    await expect(first.store.fork(old, 2, 'b')).rejects.toMatchObject({
      name: 'SessionForkError',
      code: 'SESSION_NOT_LIVE',
    })
    expect(await second.store.stored()).toHaveLength(1)
  })
})

test('whoever reads sees a session whole or gone', async () => {
  const opened = await page()
  const other = await tab(opened)
  await opened.store.create('a', { seed: log(turn(1)) })
  const reading = other.store.inspect('a').then(
    ({ events }) => events.length,
    (error: { code: string }) => error.code,
  )
  await opened.store.delete('a')
  expect([3, 'SESSION_NOT_FOUND']).toContain(await reading)
})
