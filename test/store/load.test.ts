import { describe, expect, test, vi } from 'vitest'
import { endSeed, log, turn, user } from '../log/support.js'
import { overtake, remove, write } from '../support/behind.js'
import { beforeCall, gate } from '../support/calls.js'
import { CLOSERS, CRASHED, stored } from '../support/crashed.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'

/** A stored session that another writer has, who writes a turn whenever `grow` is called. */
async function growing() {
  const opened = await stored()
  const other = await tab(opened)
  const epoch = await overtake(other, 'a')
  let turns = 1
  const grow = (): Promise<void> => {
    turns++
    const events = log(...Array.from({ length: turns }, (_, i) => turn(i + 1)))
    return write(other, 'a', epoch, events.slice(-3))
  }
  return { opened, grow }
}

describe('load', () => {
  test('makes a stored session live and writable here', async () => {
    const { store, name } = await stored()
    const session = await store.load('a')
    expect(store.get('a')).toBe(session)
    expect(session).toMatchObject({
      id: 'a',
      state: 'live',
      seq: 3,
      durable: 3,
      firstLiveSeq: 3,
      header: { cwd: '/x' },
    })
    appendTurn(session, 'more', 'text')
    await store.flush(session)
    expect((await (await page({ name })).store.inspect('a')).events).toEqual(session.events)
  })

  test('gives frozen events, and a frozen header', async () => {
    const { store } = await stored()
    const session = await store.load('a')
    expect(Object.isFrozen(session.at(1)!.data)).toBe(true)
    expect(Object.isFrozen(session.header)).toBe(true)
  })

  test('closes the turn that a crash left open, in the log too', async () => {
    const { store, name } = await stored(CRASHED)
    const session = await store.load('a')
    expect(session.events.slice(0, 5)).toEqual(CRASHED)
    expect(session.events.slice(5).map(({ type }) => type)).toEqual(CLOSERS)
    expect(session.events.at(-1)).toMatchObject({ data: { turn: 1, reason: { kind: 'interrupted' } } })
    expect(session).toMatchObject({ firstLiveSeq: 9, durable: 9, turn: { next: 2 } })
    expect(await (await page({ name })).store.stored()).toMatchObject([{ length: 9, openTurn: false }])
  })

  test('closes it once: the next load adds nothing', async () => {
    const first = await stored(CRASHED)
    const { events } = await first.store.load('a')
    first.crash()
    const second = await tab(first)
    expect((await second.store.load('a')).events).toEqual(events)
  })

  test("adds a marker under rules 'harness', unless the log ends in one", async () => {
    const first = await stored(log(turn(1)), { rules: 'harness' })
    const session = await first.store.load('a')
    expect(session.at(3)).toMatchObject({ type: 'session/end-seed', seq: 3 })
    expect(session).toMatchObject({ firstLiveSeq: 3, durable: 4 })
    await first.store.release(session)
    expect(await first.store.load('a')).toMatchObject({ seq: 4, firstLiveSeq: 4 })
  })

  test("puts the marker after the closers under rules 'harness'", async () => {
    const { store } = await stored(CRASHED, { rules: 'harness' })
    const session = await store.load('a')
    expect(session.events.slice(5).map(({ type }) => type)).toEqual([...CLOSERS, 'session/end-seed'])
    expect(session.firstLiveSeq).toBe(9)
  })

  test("adds no marker under rules 'rfc'", async () => {
    const { store } = await stored(log(turn(1), endSeed, turn(2)))
    expect((await store.load('a')).seq).toBe(7)
  })

  test('of one that is live here gives it as it is, with its turn open', async () => {
    const { store } = await page()
    const session = await store.create('a')
    beginTurn(session, 'hi')
    expect(await store.load('a')).toBe(session)
    expect(session.turn.open).toBe(1)
  })

  test('of one that is live here, and empty, gives it too', async () => {
    const { store } = await page()
    const session = await store.create('a')
    expect(await store.load('a')).toBe(session)
  })

  test('of one that is being released gives a live session', async () => {
    const opened = await page()
    const { store } = opened
    const old = await store.create('a')
    const { opened: answered, open: answer } = gate()
    beforeCall(opened, 'append', () => answered)
    appendTurn(old, 'hi', 'hello')
    const released = store.release(old)
    const loading = store.load('a')
    answer()
    await released
    const session = await loading
    expect(session.state).toBe('live')
    expect(session.events).toEqual(old.events)
  })

  test('in parallel gives one session', async () => {
    const { store } = await stored()
    const [a, b, c] = await Promise.all([store.load('a'), store.load('a'), store.load('a')])
    expect(a).toBe(b)
    expect(b).toBe(c)
    expect(store.list()).toEqual([a])
  })

  test.each(['nobody', 7, undefined])('of %s rejects with SESSION_NOT_FOUND', async (id) => {
    const { store } = await stored()
    await expect(store.load(id as never)).rejects.toMatchObject({
      name: 'SessionStoreError',
      code: 'SESSION_NOT_FOUND',
    })
  })

  test('reads again when the log grew meanwhile', async () => {
    const { opened, grow } = await growing()
    beforeCall(opened, 'load', grow)
    expect((await opened.store.load('a')).events).toEqual(log(turn(1), turn(2)))
  })

  test('gives up with SESSION_CONFLICT when others keep changing the log', async () => {
    const { opened, grow } = await growing()
    beforeCall(opened, 'load', grow, Infinity)
    await expect(opened.store.load('a')).rejects.toMatchObject({ code: 'SESSION_CONFLICT', sessionId: 'a' })
    expect(opened.store.get('a')).toBeUndefined()
  })

  test('of one that is deleted meanwhile rejects with SESSION_NOT_FOUND', async () => {
    const second = await stored()
    const third = await tab(second)
    beforeCall(second, 'load', () => remove(third, 'a'))
    await expect(second.store.load('a')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  test('a log of many parts is whole', async () => {
    const seed = log(...Array.from({ length: 1000 }, (_, i) => turn(i + 1, user('x'.repeat(6000)))))
    const { store } = await stored(seed)
    expect((await store.load('a')).events).toEqual(seed)
  })
})

describe('a session that another writer has taken over behind the back of its page', () => {
  async function two() {
    const first = await page()
    const session = await first.store.create('a', { seed: log(turn(1)) })
    const second = await tab(first)
    const epoch = await overtake(second, 'a')
    return { first, session, second, writeTurn: () => write(second, 'a', epoch, log(turn(1), turn(2)).slice(3)) }
  }

  test('is in conflict after its next append, and that event is not stored', async () => {
    const { session, second } = await two()
    appendTurn(session, 'mine', 'alone')
    await vi.waitFor(() => expect(session.state).toBe('conflict'))
    expect((await second.store.inspect('a')).events).toHaveLength(3)
  })

  test('keeps its events readable, the unsaved ones too', async () => {
    const { session } = await two()
    appendTurn(session, 'mine', 'alone')
    await vi.waitFor(() => expect(session.state).toBe('conflict'))
    expect(session.seq).toBe(12)
    expect(session.durable).toBe(3)
    expect(session.messages).toHaveLength(3)
  })

  test('does not disturb the new writer', async () => {
    const { session, second, writeTurn } = await two()
    beginTurn(session, 'mine')
    await vi.waitFor(() => expect(session.state).toBe('conflict'))
    await writeTurn()
    expect((await second.store.inspect('a')).events).toEqual(log(turn(1), turn(2)))
  })

  test('can be loaded back', async () => {
    const { first, session, writeTurn } = await two()
    await writeTurn()
    session.append('turn/start', { turn: 2 })
    await vi.waitFor(() => expect(session.state).toBe('conflict'))
    const again = await first.store.load('a')
    expect(again.events).toEqual(log(turn(1), turn(2)))
    appendTurn(again, 'mine', 'again')
    expect(await first.store.flush(again)).toBe(true)
  })
})

test('a log that is deleted and made anew between two parts is not mixed with the new one', async () => {
  const seed = log(...Array.from({ length: 1000 }, (_, i) => turn(i + 1, user('x'.repeat(6000)))))
  const reader = await stored(seed)
  const { store } = await tab(reader)
  let parts = 0
  const replace = async (): Promise<void> => {
    if (++parts !== 2) return
    await store.delete('a')
    await store.create('a', { seed })
  }
  beforeCall(reader, 'read', replace, 2)
  await expect(reader.store.inspect('a')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})
