/** A change of what is stored, from this version to a made-up next one: it comes about whole, or the old version stays. */
import { openDB, type IDBPDatabase } from 'idb'
import type { SessionStoreError } from 'idb-sessions'
import { afterEach, describe, expect, test } from 'vitest'
import { Database } from '../../worker/database.js'
import type { Format } from '../../worker/format.js'
import { faultAt, type Fault } from '../support/faults.js'
import { tab } from '../support/lifetime.js'
import { inBrowser, type Page } from '../support/page.js'
import { allRecords } from '../support/records.js'
import { prepared, seen } from '../support/steps.js'

/** Changes every row, replaces one store, adds another, and says so. */
const NEXT: Format = {
  version: 2,
  upgrade(typed) {
    const db = typed as unknown as IDBPDatabase
    db.deleteObjectStore('staging')
    db.createObjectStore('staging', { keyPath: ['log', 'part'] })
    const { transaction } = db.createObjectStore('tags', { keyPath: 'tag' })
    const [sessions, store] = [transaction.objectStore('sessions'), transaction.objectStore('store')]
    const change = async (): Promise<void> => {
      for (const row of await sessions.getAll()) await sessions.put({ ...row, pinned: false })
      await store.put({ ...(await store.get('store')), version: 2 })
    }
    // What fails here fails the upgrade.
    change().catch(() => {})
  },
}

const opened: Database[] = []

async function upgrade(name: string): Promise<void> {
  const database = new Database(name, { format: NEXT })
  opened.push(database)
  await database.check()
}

afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
})

async function stored(name: string) {
  const db = await openDB(name)
  const { version } = db
  db.close()
  return { version, records: await allRecords(name) }
}

/** A database of this version that no page holds. */
async function left(): Promise<Page> {
  const page = await prepared({ act: async () => {} })
  page.connection.end(new Error('the page is gone'))
  return page
}

describe.skipIf(inBrowser)('an upgrade (Node only: IndexedDB of the worker is at hand there)', () => {
  test('changes everything and keeps everything', async () => {
    const { name } = await left()
    const { records } = await stored(name)
    await upgrade(name)
    const after = await stored(name)
    expect(after).toMatchObject({ version: 2, records: { tags: [], store: [{ version: 2 }] } })
    expect(after.records['sessions']).toEqual(
      records['sessions']!.map((row) => ({ ...(row as object), pinned: false })),
    )
    expect(after.records['segments']).toEqual(records['segments'])
  })

  test.each<[string, Fault, SessionStoreError['code']?]>([
    ['whose page dies', 'dies'],
    ['that the browser gives up', 'aborts'],
    ['whose connection is closed', 'closes'],
    ['that finds no room', 'full', 'STORAGE_FULL'],
  ])('%s at any step leaves the old version as it was, and is done by the next open', async (_, fault, code) => {
    const page = await left()
    const [before, sessions] = [await stored(page.name), await seen(page)]
    const { id } = before.records['store']![0] as { id: string }
    for (let step = 1; ; step++) {
      const armed = faultAt(step, fault)
      const failure: unknown = await upgrade(page.name).catch((error: unknown) => error)
      armed.end()
      // What fails once it has landed, as a connection that is closed before its first use, has landed.
      if (!armed.happened || (await stored(page.name)).version === 2) break
      expect(failure, `at step ${step}`).toMatchObject({ name: 'SessionStoreError', ...(code && { code }) })
      for (const database of opened.splice(0)) await database.close()
      expect(await stored(page.name), `after step ${step}`).toEqual(before)
      expect(await seen(page)).toEqual(sessions)
    }
    expect(await stored(page.name)).toMatchObject({ version: 2, records: { store: [{ id, version: 2 }] } })
  })

  test('that failed lets an old page go on', async () => {
    const page = await left()
    const old = await tab(page)
    const session = await old.store.load('c')
    const armed = faultAt(4, 'aborts')
    await expect(upgrade(page.name)).rejects.toMatchObject({ name: 'SessionStoreError' })
    armed.end()
    session.append('session/title', { title: 't', messageSeqs: [], source: { kind: 'user' } })
    expect(await old.store.flush(session)).toBe(true)
  })
})
