import { describe, expect, test, vi } from 'vitest'
import type { Rules, Session, SessionEvent } from 'idb-sessions'
import { SessionForkError } from 'idb-sessions'
import { log, start, stepEnd, stepStart, title, turn, user, type Draft } from '../log/support.js'
import { make, overtake, remove } from '../support/behind.js'
import { beforeCall } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import { countRecords, hasLocks } from '../support/page.js'

/** Turns end at 2 and 5; the one that begins at 6 is open. */
const OPEN = log(turn(1), turn(2), start(3), user('x'))

async function open(seed: SessionEvent[] = OPEN, rules: Rules = 'rfc') {
  const opened = await page({ rules })
  return { ...opened, source: await opened.store.create('a', { seed }) }
}

/** The fields of the refusal; fails when there is none. */
async function refusal(fork: Promise<Session>) {
  const error: unknown = await fork.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof SessionForkError)) throw error
  const { name, code, boundary, before, after } = error
  expect(name).toBe('SessionForkError')
  return { code, boundary, before, after }
}

const nothing = { boundary: undefined, before: undefined, after: undefined }

describe('1. SESSION_ALREADY_EXISTS', () => {
  test('when the child id is live', async () => {
    const { store, source } = await open()
    await store.create('b')
    expect(await refusal(store.fork(source, 2, 'b'))).toEqual({ code: 'SESSION_ALREADY_EXISTS', ...nothing })
  })

  test('when the child id is stored', async () => {
    const opened = await open()
    await opened.store.create('b', { seed: [] })
    const { store } = await tab(opened)
    expect(await refusal(store.fork('a', 2, 'b'))).toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
  })

  test('when the child id is that of the source', async () => {
    const { store, source } = await open()
    expect(await refusal(store.fork(source, 2, 'a'))).toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
  })

  test('when another writer takes it on the way', async () => {
    const opened = await open()
    const other = await tab(opened)
    beforeCall(opened, 'fork', () => make(other, 'b', []))
    expect(await refusal(opened.store.fork('a', 2, 'b'))).toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
    expect(opened.store.get('b')).toBeUndefined()
  })

  test('for one of two forks that want the same id', async () => {
    const { store, source } = await open()
    const [first, second] = await Promise.allSettled([store.fork(source, 2, 'b'), store.fork(source, 5, 'b')])
    expect(first.status).toBe('fulfilled')
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'SESSION_ALREADY_EXISTS' } })
    expect(store.get('b')?.seq).toBe(3)
  })

  test('wins over all others', async () => {
    const { store } = await open()
    expect(await refusal(store.fork('nobody', -1, 'a'))).toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
    expect(await refusal(store.fork('a', NaN, 'a'))).toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
    expect(await refusal(store.fork('a', 7, 'a'))).toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
  })

  test.skipIf(hasLocks)(
    'not for an id that is only reserved by another page (Node only: without Web Locks)',
    async () => {
      const opened = await open()
      await opened.store.create('b')
      expect((await (await tab(opened)).store.fork('a', 2, 'b')).seq).toBe(3)
    },
  )
})

describe('2. SESSION_NOT_FOUND', () => {
  test('when no live or stored session has the id', async () => {
    const { store } = await open()
    expect(await refusal(store.fork('nobody'))).toEqual({ code: 'SESSION_NOT_FOUND', ...nothing })
  })

  test('when it has been deleted, by id and by object', async () => {
    const { store, source } = await open()
    await store.delete('a')
    expect(await refusal(store.fork('a', 2))).toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(await refusal(store.fork(source, 2))).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  test('when it is deleted on the way', async () => {
    const opened = await open()
    const other = await tab(opened)
    beforeCall(opened, 'fork', () => remove(other, 'a'))
    expect(await refusal(opened.store.fork('a', 2, 'b'))).toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(opened.store.get('b')).toBeUndefined()
  })

  test('when it is a released session that never got an event', async () => {
    const { store } = await page()
    const session = await store.create('a')
    await store.release(session)
    expect(await refusal(store.fork(session))).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  test('for the object of another database, of an id that is not here', async () => {
    const { source } = await open()
    const other = await page()
    expect(await refusal(other.store.fork(source, 2))).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  test.each([undefined, null, 7, {}])('for %j, which is no session', async (source) => {
    const { store } = await open()
    expect(await refusal(store.fork(source as never))).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  test('wins over a bad boundary', async () => {
    const { store } = await open()
    expect(await refusal(store.fork('nobody', -1))).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})

describe('3. SESSION_NOT_LIVE', () => {
  test('for what only follows a session, while its id can be forked', async () => {
    const { store, source } = await open()
    await store.release(source)
    const view = await store.follow('a')
    expect(await refusal(store.fork(view as Session, 2))).toEqual({ code: 'SESSION_NOT_LIVE', ...nothing })
    expect((await store.fork(view.id, 2)).seq).toBe(3)
  })

  test('for a released object, while its id can be forked', async () => {
    const { store, source } = await open()
    await store.release(source)
    expect(await refusal(store.fork(source, 2))).toEqual({ code: 'SESSION_NOT_LIVE', ...nothing })
    expect((await store.fork('a', 2)).seq).toBe(3)
  })

  test('for a released object, also when its id is live again', async () => {
    const { store, source } = await open()
    await store.release(source)
    await store.load('a')
    expect(await refusal(store.fork(source, 2))).toMatchObject({ code: 'SESSION_NOT_LIVE' })
  })

  test('for the object of another store', async () => {
    const opened = await open()
    const other = await tab(opened)
    expect(await refusal(other.store.fork(opened.source, 2))).toMatchObject({ code: 'SESSION_NOT_LIVE' })
  })

  test('2. SESSION_NOT_FOUND comes first for an object that another writer deleted, which leaves it deleted here too', async () => {
    const opened = await open(log(turn(1)))
    const { store, source } = opened
    await remove(await tab(opened), 'a')
    expect(await refusal(store.fork(source, 2))).toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(source.state).toBe('deleted')
  })

  test('for an object that another writer took over, known here already or not', async () => {
    const opened = await open(log(turn(1)))
    const { store, source } = opened
    await overtake(await tab(opened), 'a')
    expect(await refusal(store.fork(source, 2))).toMatchObject({ code: 'SESSION_NOT_LIVE' })
    expect(source.state).toBe('conflict')
    expect(await refusal(store.fork(source, 2))).toMatchObject({ code: 'SESSION_NOT_LIVE' })
  })

  test('wins over a bad boundary', async () => {
    const { store, source } = await open()
    await store.release(source)
    expect(await refusal(store.fork(source, -1))).toMatchObject({ code: 'SESSION_NOT_LIVE' })
  })
})

describe('4. INVALID_BOUNDARY', () => {
  test.each([NaN, Infinity, -Infinity, '2', null, true, 2n, {}, [2]])('%s is no safe integer', async (boundary) => {
    const { store, source } = await open()
    expect(await refusal(store.fork(source, boundary as never))).toMatchObject({ code: 'INVALID_BOUNDARY' })
  })

  test.each([
    [-1, undefined, 2],
    [0.5, undefined, 2],
    [2.5, 2, 5],
    [8, 5, undefined],
    [99, 5, undefined],
    [2 ** 53 - 1, 5, undefined],
    [2 ** 53, 5, undefined],
  ])('%d names no event: before is %s, after is %s', async (boundary, before, after) => {
    const { store, source } = await open()
    expect(await refusal(store.fork(source, boundary))).toEqual({ code: 'INVALID_BOUNDARY', boundary, before, after })
  })

  test('0 of an empty source names no event', async () => {
    const { store } = await page()
    const source = await store.create('a')
    expect(await refusal(store.fork(source, 0))).toMatchObject({ code: 'INVALID_BOUNDARY', boundary: 0 })
  })

  test('existence is checked before openness', async () => {
    const { store, source } = await open()
    expect(await refusal(store.fork(source, 8))).toMatchObject({ code: 'INVALID_BOUNDARY' })
    expect(await refusal(store.fork(source, 7))).toMatchObject({ code: 'OPEN_TURN' })
  })
})

describe('5. OPEN_TURN', () => {
  test.each([
    [0, undefined, 2],
    [1, undefined, 2],
    [3, 2, 5],
    [4, 2, 5],
    [6, 5, undefined],
    [7, 5, undefined],
  ])('%d lies inside an open turn: before is %s, after is %s', async (boundary, before, after) => {
    const { store, source } = await open()
    expect(await refusal(store.fork(source, boundary))).toEqual({ code: 'OPEN_TURN', boundary, before, after })
  })

  test('-0 is 0', async () => {
    const { store, source } = await open()
    expect(await refusal(store.fork(source, -0))).toMatchObject({ code: 'OPEN_TURN' })
  })

  test('when the boundary is omitted and the last turn is open, labels at its end or not', async () => {
    const { store, source } = await open()
    expect(await refusal(store.fork(source))).toMatchObject({ code: 'OPEN_TURN', before: 5 })
    source.append('session/title', { title: 't', messageSeqs: [], source: { kind: 'user' } })
    expect(await refusal(store.fork(source))).toMatchObject({ code: 'OPEN_TURN', before: 5 })
  })

  test('as it was at the call: a turn that ends afterwards does not help', async () => {
    const { store, source } = await open()
    const fork = store.fork(source)
    source.append('turn/end', { turn: 3, reason: { kind: 'completed' } })
    expect(await refusal(fork)).toMatchObject({ code: 'OPEN_TURN' })
  })

  test("under rules 'harness' too", async () => {
    const { store, source } = await open(OPEN, 'harness')
    expect(await refusal(store.fork(source, 4))).toMatchObject({ code: 'OPEN_TURN', before: 2, after: 5 })
    expect(await refusal(store.fork(source))).toMatchObject({ code: 'OPEN_TURN', before: 5 })
  })
})

describe("6. INVALID_BOUNDARY, rules 'rfc' only: the event there is no turn/end", () => {
  const BETWEEN: Draft[] = [title('t'), ...turn(1), title('u'), user('context'), ...turn(2)]
  test.each([
    [0, undefined, 3],
    [4, 3, 8],
    [5, 3, 8],
  ])('%d lies between turns: before is %s, after is %s', async (boundary, before, after) => {
    const { store, source } = await open(log(BETWEEN))
    expect(await refusal(store.fork(source, boundary))).toEqual({ code: 'INVALID_BOUNDARY', boundary, before, after })
  })

  test('a message after the last turn, boundary omitted', async () => {
    const { store, source } = await open(log(turn(1), user('context'), title('t')))
    expect(await refusal(store.fork(source))).toMatchObject({ code: 'INVALID_BOUNDARY', before: 2 })
  })

  test('a step/end', async () => {
    const { store, source } = await open(log(stepStart(1, 1), stepEnd(1, 1)))
    expect(await refusal(store.fork(source, 1))).toMatchObject({ code: 'INVALID_BOUNDARY' })
  })

  test('a label that is named, also at the very end', async () => {
    const { store, source } = await open(log(turn(1), title('t')))
    expect(await refusal(store.fork(source, 3))).toMatchObject({ code: 'INVALID_BOUNDARY', before: 2 })
  })

  test("rules 'harness' takes all of them", async () => {
    const { store, source } = await open(log(BETWEEN), 'harness')
    for (const boundary of [0, 4, 5]) expect((await store.fork(source, boundary)).firstLiveSeq).toBe(boundary + 1)
  })
})

test('the same refusals for a source that is only stored', async () => {
  const opened = await open()
  const { store } = await tab(opened)
  expect(await refusal(store.fork('a', 4))).toEqual({ code: 'OPEN_TURN', boundary: 4, before: 2, after: 5 })
  expect(await refusal(store.fork('a', 99))).toEqual({
    code: 'INVALID_BOUNDARY',
    boundary: 99,
    before: 5,
    after: undefined,
  })
  expect(await refusal(store.fork('a', NaN))).toMatchObject({ code: 'INVALID_BOUNDARY' })
})

test('a refused fork makes nothing and tells nobody', async () => {
  const { store, name, source } = await open()
  const created = vi.fn()
  store.on('session/created', created)
  const before = await countRecords(name)
  await refusal(store.fork(source, 4, 'b'))
  expect(created).not.toHaveBeenCalled()
  expect(store.list()).toEqual([source])
  expect(await countRecords(name)).toEqual(before)
  expect((await store.fork(source, 2, 'b')).id).toBe('b')
})

test('the message names the nearest fork points', async () => {
  const { store, source } = await open()
  await expect(store.fork(source, 4)).rejects.toThrow(/\b2\b.*\b5\b/)
})

test('a session that can be appended to can be forked at every fork point', async () => {
  const { store } = await page()
  const source = await store.create('a')
  for (let i = 0; i < 5; i++) appendTurn(source, `prompt ${i}`, 'answer')
  const points = await store.forkPoints('a')
  expect(points).toHaveLength(5)
  for (const { seq } of points) expect((await store.fork(source, seq)).seq).toBe(seq + 1)
})
