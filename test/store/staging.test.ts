/** What an import, or a large seed, puts aside until its session is there; and what a dead page leaves of it. */
import { describe, expect, test } from 'vitest'
import { openDB } from 'idb'
import { encodeSegments } from '../../lib/log/jsonl.js'
import { end, fileOf, log, start, turn, user } from '../log/support.js'
import { beforeCall, gate } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { countRecords } from '../support/page.js'

const DAY = 24 * 60 * 60 * 1000
const PART = encodeSegments(log(turn(1)))
const hasLocks = typeof navigator !== 'undefined' && 'locks' in navigator && navigator.locks !== undefined

/** A page that has put a part aside, and died. */
async function abandoned() {
  const opened = await page()
  await opened.connection.call('stage', 'op', PART)
  expect(await countRecords(opened.name)).toMatchObject({ staging: 1, segments: 1 })
  opened.crash()
  return opened
}

async function age(name: string, ms: number): Promise<void> {
  const db = await openDB(name)
  const record = (await db.get('staging', 'op')) as { touched: number }
  await db.put('staging', { ...record, touched: Date.now() - ms })
  db.close()
}

describe.skipIf(!hasLocks)('with Web Locks (not in Node)', () => {
  test('what a dead page left is freed by the next open', async () => {
    const dead = await abandoned()
    await expect
      .poll(async () => {
        await tab(dead)
        return countRecords(dead.name)
      })
      .toMatchObject({ staging: 0, segments: 0 })
  })

  test('what a page still works at is left alone, however old', async () => {
    const alive = await page()
    await alive.connection.call('stage', 'op', PART)
    await age(alive.name, 2 * DAY)
    const other = await tab(alive)
    await other.connection.call('stage', 'another', PART)
    await other.connection.call('unstage', 'another')
    expect(await countRecords(alive.name)).toMatchObject({ staging: 1, segments: 1 })
  })
})

describe.skipIf(hasLocks)('without Web Locks (Node only)', () => {
  test('what was not touched for a day is freed by the next open', async () => {
    const dead = await abandoned()
    await age(dead.name, DAY + 1000)
    await tab(dead)
    await expect.poll(() => countRecords(dead.name)).toMatchObject({ staging: 0, segments: 0 })
  })

  test('what was touched since is left alone', async () => {
    const dead = await abandoned()
    await age(dead.name, DAY - 60_000)
    const other = await tab(dead)
    await other.connection.call('stage', 'another', PART)
    await other.connection.call('unstage', 'another')
    expect(await countRecords(dead.name)).toMatchObject({ staging: 1, segments: 1 })
  })
})

test('opening another page disturbs no import under way', async () => {
  const opened = await page()
  const events = log(...Array.from({ length: 600 }, (_, i) => [start(i + 1), user('x'.repeat(5000)), end(i + 1)]))
  const { opened: go, open: proceed } = gate()
  beforeCall(opened, 'importEnd', () => go)
  const imported = opened.store.importLog(new Blob([fileOf(events) as Uint8Array<ArrayBuffer>]))
  await expect.poll(() => countRecords(opened.name)).toMatchObject({ staging: 1 })
  const other = await tab(opened)
  expect(await other.store.stored()).toEqual([])
  proceed()
  expect((await imported).session.length).toBe(events.length)
  expect((await other.store.inspect('s')).events).toEqual(events)
})

test('what is being imported is listed, loaded and forked by nobody', async () => {
  const opened = await page()
  await opened.connection.call('stage', 'op', PART)
  const { store } = await tab(opened)
  expect(await store.stored()).toEqual([])
  await expect(store.fork('op')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})
