/** Faults that real products had (`faults.md`), and inputs that would show them here: several tabs, lists, deletion. */
// Before everything that looks for locks.
import '../support/fake-locks.js'
import { describe, expect, test } from 'vitest'
import { checkTurns } from 'idb-sessions/log'
import { log, start, turn } from '../log/support.js'
import { overtake, write } from '../support/behind.js'
import { loseAnswer } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'
import { encodeSegments } from '../../lib/log/jsonl.js'

async function two(seed = log(turn(1))) {
  const first = await page()
  const session = await first.store.create('a', { seed })
  return { first, session, second: await tab(first) }
}

describe('no ownership decision at fork (fault 10)', () => {
  test('a fork of what another tab writes is this tab’s alone, and has no open turn', async () => {
    const { first, session, second } = await two()
    beginTurn(session, 'under way')
    await first.store.flush(session)
    const child = await second.store.fork('a', 2, 'b')
    expect(child).toMatchObject({ state: 'live', writer: 'here', turn: { next: 2 } })
    expect(session).toMatchObject({ state: 'live', writer: 'here', turn: { open: 2 } })
    await expect(first.store.load('b')).rejects.toMatchObject({ code: 'SESSION_LOCKED' })
    await expect(second.store.fork('a', session.seq - 1)).rejects.toMatchObject({ code: 'OPEN_TURN' })
  })
})

describe('shared mutable view state between source and child (fault 11)', () => {
  test('both logs are whole, whichever is looked at while the child is streamed into', async () => {
    const { first, session, second } = await two()
    const child = await first.store.fork(session, 2, 'b')
    for (let i = 0; i < 6; i++) {
      const view = await second.store.follow(i % 2 === 0 ? 'a' : 'b')
      const unsubscribe = view.subscribe(() => {})
      appendTurn(child, `${i}`, 'answer')
      await first.store.flush(child)
      unsubscribe()
      view.close()
    }
    const { store } = await tab(first)
    expect((await store.inspect('a')).events).toEqual(session.events)
    expect((await store.inspect('b')).events).toEqual(child.events)
  })
})

describe('one pointer, two meanings (fault 32)', () => {
  test('a fork and a session that only names its parent are told apart by what they share', async () => {
    const { second } = await two()
    await second.store.fork('a', 2, 'fork')
    await second.store.create('continuation', { seed: log(turn(1)), meta: { parentSession: 'a' } })
    const branches = await second.store.branches('a')
    expect(branches.filter(({ shared }) => shared > 0)).toMatchObject([{ id: 'fork', shared: 3 }])
  })
})

describe('child visibility computed from parent state (fault 34)', () => {
  test.each(['closed', 'deleted'])(
    'a fork stays listed and readable in another tab when its parent is %s',
    async (how) => {
      const { first, session, second } = await two()
      const child = await second.store.fork('a', 2, 'b')
      if (how === 'closed') await first.store.release(session)
      else await first.store.delete('a')
      const { store } = await tab(first)
      expect((await store.stored()).map(({ header }) => header.id)).toContain('b')
      expect((await store.inspect('b')).events).toEqual(child.events)
    },
  )
})

describe('all-or-nothing failure hidden (fault 36)', () => {
  test.each([[['a', 'b', 'missing', 'c']], [['c', 'missing', 'b', 'a']]])(
    'each id of %j has an outcome',
    async (ids) => {
      const { first, second } = await two()
      await second.store.fork('a', 2, 'b')
      await first.store.release(first.store.get('a')!)
      await first.store.create('c', { seed: log(turn(1)) })
      const outcomes = { a: 'deleted', b: 'deleted', c: 'locked', missing: 'missing' } as Record<string, string>
      expect(await second.store.delete(ids)).toEqual(ids.map((id) => ({ id, outcome: outcomes[id] })))
    },
  )
})

describe('non-idempotent create behind a re-firing effect (fault 39)', () => {
  test('two forks of one childSessionId, from two tabs at once, make one child', async () => {
    const { first, second } = await two()
    const forks = await Promise.allSettled([first, second].map(({ store }) => store.fork('a', 2, 'b')))
    expect(forks.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const refused = forks.find(({ status }) => status === 'rejected')
    expect(refused).toMatchObject({ reason: { code: 'SESSION_ALREADY_EXISTS' } })
    expect((await first.store.stored()).map(({ header }) => header.id).toSorted()).toEqual(['a', 'b'])
  })

  test('one whose answer was lost can be asked for again, and makes one child', async () => {
    const { first, second } = await two()
    loseAnswer(second, 'fork')
    await expect(second.store.fork('a', 2, 'b')).rejects.toMatchObject({ code: 'WORKER_FAILED' })
    await second.store.fork('a', 2, 'b')
    expect((await first.store.stored()).map(({ header }) => header.id).toSorted()).toEqual(['a', 'b'])
  })
})

describe('two writers (fault 43)', () => {
  test('of two appends at one place one is stored, the other is a conflict and is kept', async () => {
    const { first, session, second } = await two()
    const epoch = await overtake(second, 'a')
    const theirs = log(turn(1), start(2)).slice(3)
    await write(second, 'a', epoch, theirs)
    appendTurn(session, 'mine', 'only')
    await expect(first.store.flush(session)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' })
    const { events } = await second.store.inspect('a')
    expect(events.slice(3, 4)).toEqual(theirs)
    expect((await session.saveAsFork('saved')).events).toEqual(session.events)
  })
})

describe('no lock, no detection (fault 44)', () => {
  test('turns of two tabs do not interleave: the second has to wait or to take over', async () => {
    const { session, second } = await two()
    beginTurn(session, 'mine')
    await expect(second.store.load('a')).rejects.toMatchObject({ code: 'SESSION_LOCKED' })
    const taken = await second.store.load('a', { takeOver: true })
    expect(() => session.append('turn/end', { turn: 2, reason: { kind: 'completed' } })).toThrow(/not live/)
    appendTurn(taken, 'theirs', 'answer')
    await second.store.flush(taken)
    expect(checkTurns(taken.events)).toEqual([])
    expect((await second.store.inspect('a')).events).toEqual(taken.events)
  })
})

describe('whole-blob last write wins (fault 45)', () => {
  test('100 appends of two tabs to two sessions are all there, in views too, when one tab dies', async () => {
    const { first, session, second } = await two()
    const other = await second.store.create('b', { seed: log(turn(1)) })
    const view = await second.store.follow('a')
    for (let i = 0; i < 50; i++) {
      for (const each of [session, other])
        each.append('todo/write', { todos: [{ content: `${i}`, status: 'pending' }] })
    }
    await Promise.all([first.store.flush(session), second.store.flush(other)])
    await expect.poll(() => view.events).toEqual(session.events)
    beginTurn(session, 'in the middle of it')
    const { durable } = session
    first.crash()
    const heir = await second.store.load('a')
    expect(heir.slice(0, durable)).toEqual(session.slice(0, durable))
    expect((await second.store.inspect('b')).events).toEqual(other.events)
  })
})

describe('stale parent pointer from the other view (fault 48)', () => {
  const late = log(turn(1), turn(2), turn(3))

  test('a place that was read from another session stores nothing', async () => {
    const { first, session } = await two()
    const segments = encodeSegments(late.slice(6))
    const request = { id: 'a', epoch: (await first.connection.call('read', 'a', 0)).epoch, first: 6, segments }
    expect(await first.connection.call('append', request)).toBe(3)
    expect((await first.store.inspect('a')).events).toEqual(session.events)
  })

  test('the epoch of another session, or of before a take-over, is a conflict', async () => {
    const { first, second } = await two()
    await first.store.create('b', { seed: log(turn(1)) })
    const { epoch: before } = await first.connection.call('read', 'a', 0)
    const { epoch: others } = await first.connection.call('read', 'b', 0)
    await overtake(second, 'a')
    for (const epoch of [before, others]) {
      const append = first.connection.call('append', {
        id: 'a',
        epoch,
        first: 3,
        segments: encodeSegments(late.slice(3)),
      })
      await expect(append).rejects.toMatchObject({ code: 'SESSION_CONFLICT' })
    }
    expect((await second.store.inspect('a')).events).toHaveLength(3)
  })
})
