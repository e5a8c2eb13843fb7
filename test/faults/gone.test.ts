/** The database is taken away: what is live is kept and can be taken along, and nobody is greeted like new. */
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { launch, levelDB, newProfile, openTab } from './browser.js'
import { origin } from './site.js'

test('a database cleared underneath: gone; what is live stays live, and can be exported', async () => {
  const page = await openTab(await launch(levelDB))
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

test('files damaged while the browser was closed: gone is said, and what is written from then on is kept', async () => {
  const profile = newProfile()
  const first = await launch(levelDB, profile)
  const page = await openTab(first)
  await page.evaluate(async () => {
    await window.faults.create('a', 50)
    await window.faults.store.flush(window.faults.session('a'))
  })
  await first.close()
  const files = levelDB.files(profile).filter((name) => /\.(log|ldb)$|\/MANIFEST/.test(name))
  expect(files.length).toBeGreaterThan(1)
  for (const name of files) damage(join(profile, 'Default/IndexedDB', name))

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

/** Overwrites the middle of a file. */
function damage(path: string): void {
  const { size } = statSync(path)
  const length = Math.min(size, 4096)
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(length, 0x5a), 0, length, Math.max(0, Math.floor(size / 2) - 2048))
  closeSync(file)
}
