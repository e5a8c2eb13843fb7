import { describe, expect, test, vi } from 'vitest'
import type { SessionStore, StoredChange } from 'idb-sessions'
import { log, title, turn } from '../log/support.js'
import { loseAnswer } from '../support/calls.js'
import { stored } from '../support/crashed.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'

const NOT_FOUND = { name: 'SessionStoreError', code: 'SESSION_NOT_FOUND' }

async function titleOf(store: SessionStore, id = 'a'): Promise<string | undefined> {
  return (await store.stored()).find(({ header }) => header.id === id)?.title
}

async function open(seed = log(title('of the log'), turn(1))) {
  const opened = await page()
  return { ...opened, session: await opened.store.create('a', { seed }) }
}

describe('a title can be set of a session', () => {
  test('that is live here', async () => {
    const { store } = await open()
    await store.setTitle('a', 'mine')
    expect(await titleOf(store)).toBe('mine')
  })

  test('that is live in another tab', async () => {
    const opened = await open()
    await (await tab(opened)).store.setTitle('a', 'mine')
    expect(await titleOf(opened.store)).toBe('mine')
  })

  test('that is live nowhere', async () => {
    const { store } = await stored()
    await store.setTitle('a', 'mine')
    expect(await titleOf(store)).toBe('mine')
    expect(store.get('a')).toBeUndefined()
  })

  test('that is only reserved here: it shows when the session is listed', async () => {
    const { store } = await page()
    const session = await store.create('a')
    await store.setTitle('a', 'mine')
    expect(await store.stored()).toEqual([])
    appendTurn(session, 'hi', 'hello')
    await store.flush(session)
    expect(await titleOf(store)).toBe('mine')
  })

  test('that is on its way into storage', async () => {
    const { store } = await page()
    await Promise.all([store.create('a', { seed: [] }), store.setTitle('a', 'mine')])
    expect(await titleOf(store)).toBe('mine')
  })

  test('but not of one that is only reserved by another page', async () => {
    const first = await page()
    await first.store.create('a')
    await expect((await tab(first)).store.setTitle('a', 'mine')).rejects.toMatchObject(NOT_FOUND)
  })

  test('nor of one that is not there', async () => {
    const { store } = await open()
    await expect(store.setTitle('nobody', 'mine')).rejects.toMatchObject({ ...NOT_FOUND, sessionId: 'nobody' })
  })

  test('nor of one that is gone', async () => {
    const { store } = await open()
    const [, titled] = await Promise.allSettled([store.delete('a'), store.setTitle('a', 'mine')])
    expect(titled).toMatchObject({ status: 'rejected', reason: NOT_FOUND })
  })
})

describe('a title that was set', () => {
  test('stands before those of the log, later ones too', async () => {
    const { store, session } = await open()
    await store.setTitle('a', 'mine')
    session.append('session/title', { title: 'newest', messageSeqs: [], source: { kind: 'user' } })
    await store.flush(session)
    expect(await titleOf(store)).toBe('mine')
  })

  test('gives way to the next one, and at last to that of the log', async () => {
    const { store } = await open()
    await store.setTitle('a', 'mine')
    await store.setTitle('a', 'other')
    expect(await titleOf(store)).toBe('other')
    await store.setTitle('a', '')
    expect(await titleOf(store)).toBe('of the log')
  })

  test('taken away from a session without another leaves none', async () => {
    const { store } = await open(log(turn(1)))
    await store.setTitle('a', 'mine')
    await store.setTitle('a', '')
    expect((await store.stored())[0]).not.toHaveProperty('title')
  })

  test('is cut to 1,000 characters', async () => {
    const { store } = await open()
    await store.setTitle('a', 'x'.repeat(1001))
    expect(await titleOf(store)).toBe('x'.repeat(1000))
  })

  test('is never cut through a surrogate pair', async () => {
    const { store } = await open()
    await store.setTitle('a', `${'x'.repeat(999)}😀`)
    expect(await titleOf(store)).toBe('x'.repeat(999))
  })

  test('stays through load, append, merge and release', async () => {
    const first = await open()
    await first.store.setTitle('a', 'mine')
    const { store, connection } = await tab(first)
    const session = await store.load('a', { takeOver: true })
    for (let i = 0; i < 3; i++) {
      appendTurn(session, 'hi', 'hello')
      await store.flush(session)
    }
    await connection.call('merge', 'a')
    await store.release(session)
    expect(await titleOf(store)).toBe('mine')
  })

  test('and events that are appended meanwhile lose nothing to each other', async () => {
    const opened = await open()
    const { store } = await tab(opened)
    for (let i = 0; i < 10; i++) {
      opened.session.append('todo/write', { todos: [] })
      await Promise.all([opened.store.flush(opened.session), store.setTitle('a', `title ${i}`)])
    }
    expect(await store.stored()).toMatchObject([{ title: 'title 9', length: 14 }])
  })

  test('is not inherited by forks, which have the log’s own', async () => {
    const { store } = await open()
    await store.setTitle('a', 'mine')
    await store.fork('a', 3, 'b')
    expect(await titleOf(store, 'b')).toBe('of the log')
  })

  test('does not go into a file', async () => {
    const { store } = await open()
    await store.setTitle('a', 'mine')
    await store.importLog(await new Response(await store.exportLog('a')).text(), { id: 'b' })
    expect(await titleOf(store, 'b')).toBe('of the log')
  })

  test('goes with its session', async () => {
    const { store } = await open()
    await store.setTitle('a', 'mine')
    await store.delete('a')
    await store.create('a', { seed: log(turn(1)) })
    expect(await titleOf(store)).toBeUndefined()
  })

  test('is no event: fork points are the same, and a fork without a boundary is at the last of them', async () => {
    const { store, session } = await open()
    const before = { points: await store.forkPoints('a'), events: session.events }
    await store.setTitle('a', 'mine')
    expect({ points: await store.forkPoints('a'), events: session.events }).toEqual(before)
    expect((await store.fork(session)).events).toEqual(before.events)
  })

  test('is no activity', async () => {
    const { store } = await open()
    const [before] = await store.stored()
    await store.setTitle('a', 'mine')
    expect(await store.stored()).toEqual([{ ...before, title: 'mine' }])
  })

  test('is set, also when the answer is lost with the worker', async () => {
    const opened = await open()
    loseAnswer(opened, 'setTitle')
    await opened.store.setTitle('a', 'mine')
    expect(await titleOf(opened.store)).toBe('mine')
  })
})

describe('stored/changed', () => {
  async function watched() {
    const opened = await page()
    const changes: StoredChange[] = []
    opened.store.on('stored/changed', (change) => void changes.push(change))
    return { ...opened, changes }
  }

  test('tells of a title', async () => {
    const { store, changes } = await watched()
    await store.create('a', { seed: log(turn(1)) })
    await store.setTitle('a', 'mine')
    expect(changes.at(-1)).toEqual({ id: 'a', kind: 'titled', length: 3 })
  })

  test('tells nothing of a session that is only reserved', async () => {
    const { store, changes } = await watched()
    const session = await store.create('a')
    await store.setTitle('a', 'mine')
    session.append('plan/mode', { active: true })
    await store.flush(session)
    await vi.waitFor(() => expect(changes).toEqual([{ id: 'a', kind: 'created', length: 1 }]))
  })
})
