import { describe, expect, test } from 'vitest'
import type { Session, SessionEvent } from 'idb-sessions'
import { log, turn } from '../log/support.js'
import { overtake, remove } from '../support/behind.js'
import { beforeCall, loseAnswer } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import type { Page } from '../support/page.js'
import { damage } from '../support/records.js'

/** A session that was overtaken after two turns, with two more events that only this page has. */
async function conflict(rest: (session: Session) => void = (session) => void appendTurn(session, 'mine', 'only')) {
  const opened = await page()
  const session = await opened.store.create('a', { seed: log(turn(1), turn(2)), meta: { cwd: '/x' } })
  const other = await tab(opened)
  await overtake(other, 'a')
  rest(session)
  await opened.store.flush(session).catch(() => {})
  expect(session.state).toBe('conflict')
  return { opened, store: opened.store, session, other }
}

async function stored(opened: Page, id: string): Promise<readonly SessionEvent[]> {
  return (await (await tab(opened)).store.inspect(id)).events
}

describe('saveAsFork', () => {
  test('makes a live session of all that the overtaken one has', async () => {
    const { opened, store, session } = await conflict()
    expect(store.get('a')).toBeUndefined()
    const saved = await session.saveAsFork('b')
    expect(saved).toMatchObject({ id: 'b', state: 'live' })
    expect(saved.events).toEqual(session.events)
    expect(await stored(opened, 'b')).toEqual(session.events)
  })

  test('shares what both have, and says how much that is', async () => {
    const { session, store } = await conflict()
    const saved = await session.saveAsFork()
    expect(saved.header).toMatchObject({ parentSession: 'a', seedLength: 6, cwd: '/x' })
    expect(await store.branches('a')).toMatchObject([{ id: saved.id, sharedWith: 'a', shared: 6 }])
  })

  test('goes on as any session', async () => {
    const { opened, store, session } = await conflict()
    const saved = await session.saveAsFork('b')
    appendTurn(saved, 'and', 'on')
    expect(await store.flush(saved)).toBe(true)
    expect(await stored(opened, 'b')).toEqual(saved.events)
    expect((await store.fork(saved)).events).toEqual(saved.events)
  })

  test('changes neither the overtaken session nor the stored one', async () => {
    const { opened, session } = await conflict()
    const before = session.events
    await session.saveAsFork('b')
    expect(session).toMatchObject({ state: 'conflict', events: before })
    expect(await stored(opened, 'a')).toEqual(before.slice(0, 6))
  })

  test('leaves an open turn open', async () => {
    const { session } = await conflict((session) => void session.append('turn/start', { turn: 3 }))
    expect((await session.saveAsFork()).turn).toEqual({ open: 3, next: 4 })
  })

  test('finds what was stored though its answer was lost', async () => {
    const opened = await page()
    const session = await opened.store.create('a', { seed: log(turn(1)) })
    loseAnswer(opened, 'append')
    session.append('turn/start', { turn: 2 })
    await opened.store.flush(session).catch(() => {})
    expect(session.durable).toBe(3)
    await overtake(await tab(opened), 'a')
    await opened.store.flush(session).catch(() => {})
    expect((await session.saveAsFork()).header.seedLength).toBe(4)
  })

  test('of a session that is gone keeps the whole log', async () => {
    const { opened, session, other } = await conflict()
    await other.store.delete('a')
    const saved = await session.saveAsFork('b')
    expect(saved.header).toMatchObject({ parentSession: 'a', seedLength: 0 })
    expect(await stored(opened, 'b')).toEqual(session.events)
  })

  test('of one whose id is another session’s by now keeps the whole log', async () => {
    const { opened, session, other } = await conflict()
    await other.store.delete('a')
    await other.store.create('a', { seed: log(turn(1), turn(2), turn(3)) })
    await session.saveAsFork('b')
    expect(await stored(opened, 'b')).toEqual(session.events)
  })

  test('of one that was deleted elsewhere keeps it too', async () => {
    const opened = await page()
    const session = await opened.store.create('a', { seed: log(turn(1)) })
    const { connection } = await tab(opened)
    await connection.call('delete', ['a'])
    appendTurn(session, 'mine', 'only')
    await opened.store.flush(session).catch(() => {})
    expect(session.state).toBe('deleted')
    expect((await session.saveAsFork('b')).events).toEqual(session.events)
  })

  test('of one that is damaged where it should be common keeps the whole log, which can be loaded', async () => {
    const { opened, session } = await conflict()
    await damage(opened.name, (segment) => ({ ...segment, bytes: segment.bytes.slice(1) }))
    const saved = await session.saveAsFork('b')
    expect(saved.header.seedLength).toBe(0)
    await opened.store.release(saved)
    expect((await opened.store.load('b')).events).toEqual(session.events)
  })

  test('of one that is deleted in that very moment keeps the whole log', async () => {
    const { opened, session, other } = await conflict()
    beforeCall(opened, 'fork', () => remove(other, 'a'))
    const saved = await session.saveAsFork('b')
    expect(saved).toMatchObject({ state: 'live', header: { seedLength: 0 } })
    expect(await stored(opened, 'b')).toEqual(session.events)
  })

  test('of a live session is a mistake', async () => {
    const { store } = await page()
    const session = await store.create('a')
    await expect(session.saveAsFork()).rejects.toBeInstanceOf(TypeError)
  })

  test('under an id that is taken rejects with SESSION_ALREADY_EXISTS, and can be done again', async () => {
    const { store, session } = await conflict()
    await store.create('b', { seed: [] })
    await expect(session.saveAsFork('b')).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
    await expect(session.saveAsFork('a')).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
    expect((await session.saveAsFork('c')).events).toEqual(session.events)
  })

  test('of a log that began in another session shares with that one', async () => {
    const opened = await page()
    const parent = await opened.store.create('p', { seed: log(turn(1), turn(2)) })
    const session = await opened.store.fork(parent, 5, 'a')
    await overtake(await tab(opened), 'a')
    appendTurn(session, 'mine', 'only')
    await opened.store.flush(session).catch(() => {})
    await session.saveAsFork('b')
    expect((await opened.store.branches('p')).map(({ id }) => id).toSorted()).toEqual(['a', 'b'])
    expect(await stored(opened, 'b')).toEqual(session.events)
  })

  test('may be vetoed, and leaves nothing then', async () => {
    const { store, session } = await conflict()
    store.on('session/created', () => {
      throw new Error('no')
    })
    await expect(session.saveAsFork('b')).rejects.toThrow('no')
    expect((await store.stored()).map(({ header }) => header.id)).toEqual(['a'])
  })
})

test('an overtaken session keeps its events, and says what to do', async () => {
  const { session, store } = await conflict()
  expect([session.seq, session.durable]).toEqual([15, 6])
  expect(() => session.append('turn/start', { turn: 4 })).toThrow(/saveAsFork/)
  expect(store.list()).toEqual([])
})
