/** The database is taken away: what is live is kept and can be taken along, and nobody is greeted like new. */
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { launch, levelDB, newProfile, newTab, openTab, sqlite, type Engine } from './browser.js'
import { origin } from './site.js'

describe.for([levelDB, sqlite])('a database that is taken away', (engine) => {
  test(`${engine.title}: cleared underneath: gone; what is live stays live, and can be exported`, async () => {
    const page = await openTab(await launch(engine))
    await page.evaluate(async () => {
      await window.faults.create('a', 3)
      await window.faults.store.flush(window.faults.session('a'))
    })
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Storage.clearDataForOrigin', { origin: origin(), storageTypes: 'indexeddb' })

    await page.evaluate(() => window.faults.append('a', { seed: 2, turn: 4, least: 10, most: 100 }))
    expect(await page.evaluate(() => window.faults.code(window.faults.store.flush(window.faults.session('a'))))).toBe(
      'STORAGE_GONE',
    )
    const seen = await page.evaluate(async () => {
      const { store, statuses } = window.faults
      const { seq, state } = window.faults.session('a')
      const lines = (await window.faults.exported('a')).split('\n').length
      return { seq, state, lines, status: store.status, statuses }
    })
    // A header's line, and the newline at the end.
    expect(seen).toMatchObject({ state: 'live', status: 'gone', statuses: [['gone', 'STORAGE_GONE']] })
    expect(seen.lines).toBeGreaterThan(4)
    // The export is a whole log: another database takes it in.
    const taken = await page.evaluate(async () => {
      const text = await window.faults.exported('a')
      await window.faults.store.delete('a').catch(() => {})
      await window.faults.store.close()
      await window.faults.open()
      return (await window.faults.store.importLog(text)).session.length
    })
    expect(taken).toBe(seen.seq)
  })
})

test('files of LevelDB damaged while the browser was closed: gone is said, and what is written from then on is kept', async () => {
  const profile = newProfile()
  await storeIn(levelDB, profile)
  const files = levelDB.files(profile).filter((name) => /\.(log|ldb)$|\/MANIFEST/.test(name))
  expect(files.length).toBeGreaterThan(1)
  for (const name of files) overwriteMiddle(join(profile, 'Default/IndexedDB', name))

  const again = await openTab(await launch(levelDB, profile))
  expect(await again.evaluate(() => window.faults.store.status)).toBe('gone')
  expect(await again.evaluate(() => window.faults.store.stored())).toEqual([])
  await again.evaluate(async () => {
    await window.faults.create('b', 1)
    await window.faults.store.flush(window.faults.session('b'))
  })
  const later = await openTab(again.context())
  expect(await later.evaluate(() => window.faults.store.status)).toBe('ready')
  expect(await later.evaluate(async () => (await window.faults.store.stored()).length)).toBe(1)
})

test('a file of SQLite damaged where it begins: STORAGE_UNAVAILABLE, and nobody is greeted like new', async () => {
  const profile = newProfile()
  await storeIn(sqlite, profile)
  const [database, ...others] = sqlite.files(profile).filter((name) => name.includes('/'))
  expect(others).toEqual([])
  overwrite(join(profile, 'Default/IndexedDB', database!), 0, 4096)

  // Chromium neither opens it nor puts an empty one in its place.
  const page = await newTab(await launch(sqlite, profile))
  expect(await page.evaluate(() => window.faults.open())).toBe('STORAGE_UNAVAILABLE')
  expect(await page.evaluate(() => window.faults.open())).toBe('STORAGE_UNAVAILABLE')
})

/** A session stored by a browser that is closed then. */
async function storeIn(engine: Engine, profile: string): Promise<void> {
  const context = await launch(engine, profile)
  const page = await openTab(context)
  await page.evaluate(async () => {
    await window.faults.create('a', 50)
    await window.faults.store.flush(window.faults.session('a'))
  })
  await context.close()
}

function overwriteMiddle(path: string): void {
  const { size } = statSync(path)
  overwrite(path, Math.max(0, Math.floor(size / 2) - 2048), Math.min(size, 4096))
}

function overwrite(path: string, at: number, length: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(length, 0x5a), 0, length, at)
  closeSync(file)
}
