import { describe, expect, onTestFinished, test } from 'vitest'
import type { SegmentRecord } from '../../worker/records.js'
import { loseValue } from '../support/faults.js'
import { page, tab } from '../support/lifetime.js'
import { inBrowser } from '../support/page.js'
import { appendTurn } from '../support/logs.js'
import { damage, segments } from '../support/records.js'

const CORRUPT = { name: 'SessionStoreError', code: 'SESSION_CORRUPT', sessionId: 'a' }

/** One bit of the segment that holds this event turns over. */
const flipAt = (seq: number) => (segment: SegmentRecord) => {
  const { first, count, bytes } = segment
  if (seq < first || seq >= first + count) return segment
  const broken = bytes.slice()
  broken[broken.length >> 1]! ^= 1
  return { ...segment, bytes: broken }
}
const loseAt = (seq: number) => (segment: SegmentRecord) =>
  seq >= segment.first && seq < segment.first + segment.count ? undefined : segment

/** A page on a database whose session `a` holds three turns of nine events, one segment each. */
async function broken(change: (segment: SegmentRecord) => SegmentRecord | undefined) {
  const writer = await page()
  const session = await writer.store.create('a')
  for (let i = 0; i < 3; i++) {
    appendTurn(session, `prompt ${i}`, 'answer')
    await writer.store.flush(session)
  }
  const { events } = session
  writer.crash()
  await damage(writer.name, change)
  return { ...(await tab(writer)), events }
}

describe.each([
  ['a flipped bit', flipAt(10)],
  ['a lost segment', loseAt(10)],
])('after %s in the second turn', (_, change) => {
  test('the session is SESSION_CORRUPT, and readable up to there', async () => {
    const { store } = await broken(change)
    const calls = [store.load('a'), store.inspect('a'), store.forkPoints('a'), store.fork('a')]
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { ...CORRUPT, readable: 9 } })
    }
    expect(store.list()).toEqual([])
  })

  test('what is readable can be forked', async () => {
    const { store, events } = await broken(change)
    const child = await store.fork('a', 8, 'b')
    expect(child.events).toEqual(events.slice(0, 9))
    appendTurn(child, 'on', 'we go')
    expect(await store.flush(child)).toBe(true)
    expect((await store.inspect('b')).events).toEqual(child.events)
  })

  test('what is not cannot', async () => {
    const { store } = await broken(change)
    await expect(store.fork('a', 26, 'b')).rejects.toMatchObject({ ...CORRUPT, readable: 9 })
    expect(store.get('b')).toBeUndefined()
  })

  test('what is readable can be exported, and imported again', async () => {
    const { store, events } = await broken(change)
    const { session } = await store.importLog(await store.exportLog('a'), { id: 'b' })
    expect(session.length).toBe(9)
    expect((await store.load('b')).events).toEqual(events.slice(0, 9))
  })

  test('it is still listed, and can be deleted', async () => {
    const { store } = await broken(change)
    expect(await store.stored()).toMatchObject([{ header: { id: 'a' }, length: 27 }])
    expect(await store.delete('a')).toEqual([{ id: 'a', outcome: 'deleted' }])
    expect(await store.stored()).toEqual([])
  })

  test('other sessions are not touched', async () => {
    const { store } = await broken(change)
    const other = await store.create('other')
    appendTurn(other, 'hi', 'hello')
    await store.release(other)
    expect((await store.load('other')).events).toEqual(other.events)
  })

  test('a merge does not make it worse', async () => {
    const { store, connection, events } = await broken(change)
    await connection.call('merge', 'a')
    expect((await store.fork('a', 8, 'b')).events).toEqual(events.slice(0, 9))
    await expect(store.inspect('a')).rejects.toMatchObject({ ...CORRUPT, readable: 9 })
  })
})

test('damage at the very beginning leaves nothing readable, and says so', async () => {
  const { store } = await broken(flipAt(0))
  await expect(store.load('a')).rejects.toMatchObject({ ...CORRUPT, readable: 0 })
})

test('a lost end is damage too', async () => {
  const { store } = await broken(loseAt(26))
  await expect(store.load('a')).rejects.toMatchObject({ ...CORRUPT, readable: 18 })
})

test('a writer does not need what is damaged: it goes on, and its memory can be exported whole', async () => {
  const opened = await page()
  const session = await opened.store.create('a')
  appendTurn(session, 'one', '1')
  await opened.store.flush(session)
  await damage(opened.name, flipAt(0))
  appendTurn(session, 'two', '2')
  expect(await opened.store.flush(session)).toBe(true)
  const { session: copy } = await opened.store.importLog(await opened.store.exportLog('a'), { id: 'b' })
  expect(copy.length).toBe(session.seq)
  expect((await opened.store.inspect('b')).events).toEqual(session.events)
})

describe.skipIf(inBrowser)(
  'a value that the browser has lost, in the second turn (Node only: IndexedDB of the worker is at hand there)',
  () => {
    /** A fork of `a` at the end of its second turn, without an event of its own. */
    async function lostUnderFork() {
      const opened = await broken((segment) => segment)
      await opened.store.release(await opened.store.fork('a', 17, 'fork'))
      onTestFinished(loseValue(9))
      return opened
    }

    test('the session is SESSION_CORRUPT, and readable up to there', async () => {
      const { store, events } = await lostUnderFork()
      await expect(store.load('a')).rejects.toMatchObject({ ...CORRUPT, readable: 9 })
      expect((await store.fork('a', 8, 'b')).events).toEqual(events.slice(0, 9))
    })

    test('a session that is live goes on, and is forked beyond it', async () => {
      const opened = await broken((segment) => segment)
      const session = await opened.store.load('a')
      onTestFinished(loseValue(9))
      appendTurn(session, 'more', 'of it')
      expect(await opened.store.flush(session)).toBe(true)
      expect((await opened.store.fork(session)).events).toEqual(session.events)
      await expect(opened.store.fork(session, 17)).rejects.toMatchObject({ ...CORRUPT, readable: 9 })
    })

    test('it can be deleted, and its forks are as damaged as before', async () => {
      const { name, store } = await lostUnderFork()
      expect(await store.delete('a')).toEqual([{ id: 'a', outcome: 'deleted' }])
      await expect(store.inspect('fork')).rejects.toMatchObject({ code: 'SESSION_CORRUPT', readable: 9 })
      expect(await store.delete('fork')).toEqual([{ id: 'fork', outcome: 'deleted' }])
      expect(await segments(name)).toEqual([])
    })

    test('a merge leaves all as it is', async () => {
      const { store, connection, events } = await lostUnderFork()
      await expect(connection.call('merge', 'a')).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
      expect((await store.fork('a', 8, 'b')).events).toEqual(events.slice(0, 9))
    })
  },
)
