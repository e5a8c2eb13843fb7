/** The worker's calls are sent again when an answer was lost, so each may arrive twice (design 3.4). */
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from 'idb-sessions'
import { encodeSegments } from '../../lib/log/jsonl.js'
import { log, turn } from '../log/support.js'
import { page, tab } from '../support/lifetime.js'
import { countRecords } from '../support/page.js'
import { rows } from '../support/records.js'

const EVENTS = log(turn(1), turn(2))
const header = (id: string) => ({ version: 0, id, createdAt: 1 })
const create = (op: string, id = 'a', events: SessionEvent[] = EVENTS) => ({
  op,
  header: header(id),
  segments: encodeSegments(events),
  staged: 0,
})
const CONFLICT = { name: 'SessionStoreError', code: 'SESSION_CONFLICT', sessionId: 'a' }

describe('create', () => {
  test('twice by the same operation is one session', async () => {
    const { connection, name } = await page()
    expect(await connection.call('create', create('op'))).toBe(6)
    expect(await connection.call('create', create('op'))).toBe(6)
    expect(await countRecords(name)).toMatchObject({ sessions: 1, segments: 1 })
  })

  test('by another operation is refused', async () => {
    const { connection } = await page()
    await connection.call('create', create('op'))
    await expect(connection.call('create', create('other'))).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
  })

  test('again, after another writer took it over, is a conflict', async () => {
    const first = await page()
    await first.connection.call('create', create('op'))
    await (await tab(first)).store.load('a')
    await expect(first.connection.call('create', create('op'))).rejects.toMatchObject(CONFLICT)
  })
})

describe('fork', () => {
  const request = { op: 'forking', header: header('b'), source: { id: 'a', epoch: 'op' }, length: 3, segments: [] }

  test('twice by the same operation is one session', async () => {
    const { connection, name } = await page()
    await connection.call('create', create('op'))
    expect(await connection.call('fork', request)).toBe(3)
    expect(await connection.call('fork', request)).toBe(3)
    expect(await countRecords(name)).toMatchObject({ sessions: 2, lineages: 1 })
  })

  test('of what is no longer what the caller read is a conflict', async () => {
    const { connection } = await page()
    await connection.call('create', create('op'))
    for (const source of [
      { id: 'a', epoch: 'other' },
      { id: 'a', log: 'other' },
    ]) {
      await expect(connection.call('fork', { ...request, source })).rejects.toMatchObject(CONFLICT)
    }
  })
})

describe('load', () => {
  const seen = { log: 'op', length: 6, epoch: 'op' }

  test('twice by the same operation takes over once', async () => {
    const { connection, name } = await page()
    await connection.call('create', create('op'))
    const request = { id: 'a', op: 'loading', seen, segments: encodeSegments(log(turn(1), turn(2), turn(3)).slice(6)) }
    expect(await connection.call('load', request)).toBe(9)
    expect(await connection.call('load', request)).toBe(9)
    expect(await rows(name)).toMatchObject([{ length: 9, epoch: 'loading' }])
  })

  test.each([{ log: 'other' }, { length: 5 }, { epoch: 'other' }])(
    'of what is no longer as it was seen, %j, writes nothing',
    async (other) => {
      const { connection, name } = await page()
      await connection.call('create', create('op'))
      const request = { id: 'a', op: 'loading', seen: { ...seen, ...other }, segments: [] }
      expect(await connection.call('load', request)).toBe('changed')
      expect(await rows(name)).toMatchObject([{ length: 6, epoch: 'op' }])
    },
  )
})

describe('append', () => {
  const more = log(turn(1), turn(2), turn(3))
  const request = { id: 'a', epoch: 'op', first: 6, segments: encodeSegments(more.slice(6)) }

  test('twice stores once', async () => {
    const { connection, store } = await page()
    await connection.call('create', create('op'))
    expect(await connection.call('append', request)).toBe(9)
    expect(await connection.call('append', request)).toBe(9)
    expect((await store.inspect('a')).events).toEqual(more)
  })

  test('ahead of what is stored stores nothing, and tells how much there is', async () => {
    const { connection } = await page()
    await connection.call('create', create('op', 'a', EVENTS.slice(0, 3)))
    expect(await connection.call('append', request)).toBe(3)
  })

  test('by another epoch is a conflict, of a missing session SESSION_NOT_FOUND', async () => {
    const { connection } = await page()
    await connection.call('create', create('op'))
    await expect(connection.call('append', { ...request, epoch: 'other' })).rejects.toMatchObject(CONFLICT)
    await expect(connection.call('append', { ...request, id: 'b' })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    })
  })
})

describe('staging', () => {
  test('the same part twice is there once', async () => {
    const { connection, store, name } = await page()
    const [part, rest] = [encodeSegments(EVENTS.slice(0, 3)), encodeSegments(EVENTS.slice(3))]
    await connection.call('stage', 'op', part)
    await connection.call('stage', 'op', part)
    expect(await connection.call('create', { ...create('op'), segments: rest, staged: 3 })).toBe(6)
    expect((await store.inspect('a')).events).toEqual(EVENTS)
    expect(await countRecords(name)).toMatchObject({ staging: 0 })
  })

  test('refuses a part that does not follow what is there', async () => {
    const { connection, name } = await page()
    const part = encodeSegments(EVENTS.slice(3))
    await expect(connection.call('stage', 'op', part)).rejects.toMatchObject({ name: 'SessionStoreError' })
    expect(await countRecords(name)).toMatchObject({ staging: 0, segments: 0 })
  })

  test('that is gone, or not what the caller put there, makes no session', async () => {
    const { connection, store } = await page()
    const rest = encodeSegments(EVENTS.slice(3))
    const request = { ...create('op'), segments: rest, staged: 3 }
    await expect(connection.call('create', request)).rejects.toMatchObject({ name: 'SessionStoreError' })
    expect(await store.stored()).toEqual([])
  })
})

test('unreserve by another epoch, or of a session that got events, does nothing', async () => {
  const { connection, name } = await page()
  await connection.call('create', { ...create('op', 'a', []), reserved: 'token' })
  await connection.call('unreserve', 'a', 'other')
  expect(await countRecords(name)).toMatchObject({ sessions: 1 })
  await connection.call('append', { id: 'a', epoch: 'op', first: 0, segments: encodeSegments(EVENTS) })
  await connection.call('unreserve', 'a', 'op')
  expect(await countRecords(name)).toMatchObject({ sessions: 1 })
})
