/** Faults that real products had (`faults.md`), and inputs that would show them here: storage in the browser, and what hangs on it. */
import { deleteDB, openDB, type IDBPDatabase } from 'idb'
import { openSessions, type Session, type StoreStatus } from 'idb-sessions'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { crc32 } from '../../worker/checksum.js'
import { Database } from '../../worker/database.js'
import type { Format } from '../../worker/format.js'
import { fileOf, log, turn } from '../log/support.js'
import { faultAt, type Fault } from '../support/faults.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'
import { newName, newWorker, type Page } from '../support/page.js'
import { allRecords, segments } from '../support/records.js'
import { exported, reread } from './support.js'

/** A page with a session `a` of one finished turn, all of it stored. */
async function stored(): Promise<{ opened: Page; session: Session }> {
  const opened = await page()
  const session = await opened.store.create('a')
  appendTurn(session, 'hi', 'hello')
  await opened.store.flush(session)
  return { opened, session }
}

describe('two-way links that can drift (fault 16)', () => {
  /** `a` of two turns, `b` forked from it at the first; then something is lost of what could be derived. */
  async function drifted(lose: (row: Record<string, unknown>) => void) {
    const opened = await page()
    const a = await opened.store.create('a', { seed: log(turn(1), turn(2)) })
    const b = await opened.store.fork(a, 2, 'b')
    appendTurn(b, 'on', 'we go')
    await opened.store.close()
    const db = await openDB(opened.name)
    for (const row of (await db.getAll('sessions')) as Record<string, unknown>[]) {
      lose(row)
      await db.put('sessions', row)
    }
    db.close()
    return { ...(await tab(opened)), a: a.events, b: b.events }
  }

  test('parents hold no children: a branch is there without its parent’s record of it', async () => {
    const { name, store } = await drifted(() => {})
    expect(
      Object.keys((await allRecords(name))['sessions']!.find((row) => (row as { id: string }).id === 'a')!),
    ).toEqual(['id', 'header', 'log', 'base', 'length', 'epoch', 'summary'])
    expect(await store.branches('a')).toMatchObject([{ id: 'b', shared: 3 }])
  })

  test('a header that forgot its parent hides no later turn, and no branch', async () => {
    const { store, a, b } = await drifted((row) => delete (row['header'] as Record<string, unknown>)['parentSession'])
    expect((await store.inspect('a')).events).toEqual(a)
    expect((await store.inspect('b')).events).toEqual(b)
    expect(await store.branches('b')).toMatchObject([{ id: 'a', shared: 3 }])
  })

  test('a lost title is the log’s own again', async () => {
    const { store } = await drifted((row) => delete row['title'])
    expect((await store.stored()).map(({ header }) => header.id).toSorted()).toEqual(['a', 'b'])
  })
})

describe('next seq computed wrongly, a view that stops silently (fault 21)', () => {
  const doubled = log(turn(1), turn(2), turn(3)).map((event) =>
    event.seq < 5 ? event : { ...event, seq: event.seq - 1 },
  )

  /** A stored log in which seq 4 is there twice, with different payloads, and bytes that are exactly those. */
  async function corrupted() {
    const { opened, session } = await stored()
    appendTurn(session, 'again', 'hello again')
    await opened.store.release(session)
    const [, second] = await segments(opened.name)
    const text = new TextDecoder().decode(second!.bytes)
    const bytes = new TextEncoder().encode(text.replace(/"seq":11/, '"seq":10'))
    const db = await openDB(opened.name)
    await db.put('segments', { ...second, bytes, sum: crc32(bytes) })
    db.close()
    return tab(opened)
  }

  test('a seq that is there twice is SESSION_CORRUPT, with what can be read', async () => {
    const { store } = await corrupted()
    const failure: unknown = await store.load('a').catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'SESSION_CORRUPT', sessionId: 'a' })
    expect((failure as { readable: number }).readable).toBeGreaterThanOrEqual(9)
  })

  test('a fork of what can be read repairs it', async () => {
    const { store } = await corrupted()
    const child = await store.fork('a', 8, 'b')
    appendTurn(child, 'on', 'we go')
    expect(await store.flush(child)).toBe(true)
    expect(child.events.map(({ seq }) => seq)).toEqual([...child.events.keys()])
  })

  test('a file in which a seq is there twice is refused with its line', async () => {
    const { store } = await page()
    await expect(store.importLog(new Blob([fileOf(doubled) as Uint8Array<ArrayBuffer>]))).rejects.toMatchObject({
      code: 'INVALID_LOG',
      line: 7,
    })
  })
})

describe('cascade over lineage, segments too (fault 35)', () => {
  test('shared segments stay until their last reader is deleted', async () => {
    const { opened, session } = await stored()
    const b = await opened.store.fork(session, 8, 'b')
    appendTurn(b, 'b', 'b')
    const c = await opened.store.fork(b, 17, 'c')
    const [ofB, ofC] = [b.events, c.events]
    await opened.store.delete('a')
    expect((await opened.store.inspect('b')).events).toEqual(ofB)
    await opened.store.delete('b')
    expect((await reread(opened, 'c')).events).toEqual(ofC)
    await opened.store.delete('c')
    expect(await segments(opened.name)).toEqual([])
  })
})

describe('a reconnect that creates instead of attaching (fault 41)', () => {
  test('after a restart of the worker in an open turn: the same session, the same line of seqs, and no other', async () => {
    const { opened, session } = await stored()
    const number = beginTurn(session, 'go on')
    opened.killWorker()
    session.append('step/end', { turn: number, step: 1 })
    await opened.store.flush(session).catch(() => opened.store.flush(session))
    expect(opened.store.get('a')).toBe(session)
    expect((await opened.store.stored()).map(({ header }) => header.id)).toEqual(['a'])
    const { events } = await (await tab(opened)).store.inspect('a')
    expect(events.slice(0, session.seq)).toEqual(session.events)
  })
})

describe('blocked and versionchange unhandled, late de-duplication (fault 49)', () => {
  const NEXT: Format = { version: 2, upgrade: (db) => void (db as unknown as IDBPDatabase).createObjectStore('later') }

  async function opening(name: string, tell = (_news: string): void => {}): Promise<unknown> {
    const database = new Database(name, { format: NEXT, tell })
    onTestFinished(() => database.close())
    return database.check()
  }

  test('a held old version: each of three openers is told, and gets its database when it is let go', async () => {
    const { name, connection } = await page()
    connection.end(new Error('the page is gone'))
    const held = await openDB(name, 1)
    const news: string[] = []
    const opened = Promise.all([1, 2, 3].map((n) => opening(name, (what) => void news.push(`${n} ${what}`))))
    await expect.poll(() => news).toContain('1 blocked')
    held.close()
    expect(await opened).toHaveLength(3)
  })

  test('one that is never let go is BLOCKED within a time limit, for all of them', async () => {
    const { name, connection } = await page()
    connection.end(new Error('the page is gone'))
    const held = await openDB(name, 1)
    onTestFinished(() => held.close())
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const outcomes = Promise.allSettled([1, 2, 3].map(() => opening(name)))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await outcomes).toMatchObject([1, 2, 3].map(() => ({ reason: { code: 'BLOCKED' } })))
  })

  test('an old tab stores what it has, and lets go by itself', async () => {
    const { opened, session } = await stored()
    beginTurn(session, 'more')
    await opening(opened.name)
    expect(session.durable).toBe(session.seq)
  })

  test('opens at once of one name in a page are one store', async () => {
    const name = newName()
    const stores = await Promise.all([1, 2, 3].map(() => openSessions({ name, worker: newWorker })))
    onTestFinished(() => stores[0]!.close())
    expect(new Set(stores).size).toBe(1)
  })
})

describe('no onclose, a cached dead connection (fault 50)', () => {
  test.each<Fault>(['closes', 'lands unheard'])(
    '%s, once: it is opened again, and every event is there once',
    async (fault) => {
      const { opened, session } = await stored()
      const armed = faultAt(1, fault)
      onTestFinished(() => armed.end())
      appendTurn(session, 'again', 'hello again')
      expect(await opened.store.flush(session)).toBe(true)
      expect(armed.happened).toBe(true)
      expect((await reread(opened, 'a')).events).toEqual(session.events)
    },
  )

  test('closed again and again: CONNECTION_LOST, the status says so, events are kept, and stored when it works', async () => {
    const { opened, session } = await stored()
    const armed = faultAt(1, 'closes', Infinity)
    onTestFinished(() => armed.end())
    appendTurn(session, 'again', 'hello again')
    await expect(opened.store.flush(session)).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    expect([opened.store.status, session.state, session.seq - session.durable]).toEqual(['failed', 'live', 9])
    armed.end()
    expect(await opened.store.flush(session)).toBe(true)
    expect([opened.store.status, session.durable]).toEqual(['ready', session.seq])
  })
})

describe('a poisoned save path, memory and disk diverge silently (fault 51)', () => {
  test.each([1, 2, 3])(
    'no room at write %s: it shows, and once there is room all is stored, also without a flush',
    async (nth) => {
      const { opened, session } = await stored()
      const seen: StoreStatus[] = []
      opened.store.on('status', (status) => void seen.push(status))
      for (let i = 1; i < nth; i++) {
        appendTurn(session, `${i}`, 'stored')
        await opened.store.flush(session)
      }
      const armed = faultAt(1, 'full', Infinity)
      onTestFinished(() => armed.end())
      appendTurn(session, 'no room', 'for this')
      await expect(opened.store.flush(session)).rejects.toMatchObject({ code: 'STORAGE_FULL' })
      expect(session.durable).toBeLessThan(session.seq)
      appendTurn(session, 'and none', 'for this')
      armed.end()
      await expect.poll(() => session.durable, { timeout: 10_000 }).toBe(session.seq)
      expect(seen).toEqual(['full', 'ready'])
      expect((await reread(opened, 'a')).events).toEqual(session.events)
    },
    15_000,
  )
})

describe('no persistence request, no backup, no notice (fault 54)', () => {
  test('a browser that refuses to persist says false', async () => {
    const { store } = await page()
    expect(await store.persist()).toBe(false)
  })

  test('a database deleted under a page is gone: said once, nothing is sent into another one, an export is one call away', async () => {
    const { opened, session } = await stored()
    const seen: StoreStatus[] = []
    opened.store.on('status', (status) => void seen.push(status))
    await deleteDB(opened.name)
    appendTurn(session, 'still', 'here')
    await expect(opened.store.flush(session)).rejects.toMatchObject({ code: 'STORAGE_GONE' })
    await expect(opened.store.stored()).rejects.toMatchObject({ code: 'STORAGE_GONE' })
    expect(seen).toEqual(['gone'])
    expect((await indexedDB.databases()).map(({ name }) => name)).not.toContain(opened.name)
    const file = await exported(opened.store, 'a')
    const other = await page()
    expect((await other.store.importLog(file)).session.length).toBe(session.seq)
  })
})
