/** Files of one value are lost, as disks do: the session says how far it can be read, and no other is touched. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { launch, levelDB, newProfile, openTab } from './browser.js'

test('the side file of a large value is lost: SESSION_CORRUPT, the part before it is readable, others are sound', async () => {
  const profile = newProfile()
  const first = await launch(levelDB, profile)
  const page = await openTab(first)
  const before = await page.evaluate(async () => {
    await window.faults.create('sound', 1)
    const ends = await window.faults.create('damaged', 1)
    // Chromium keeps values of this size beside the database.
    const session = window.faults.session('damaged')
    window.faults.append('damaged', { seed: 3, turn: 2, least: 1_000_000, most: 1_000_000 })
    await window.faults.store.flush(session)
    await window.faults.store.flush(window.faults.session('sound'))
    return ends[0]! + 1
  })
  await first.close()
  const blobs = levelDB.files(profile).filter((name) => name.endsWith('.indexeddb.blob'))
  expect(blobs).toHaveLength(1)
  rmSync(join(profile, 'Default/IndexedDB', blobs[0]!), { recursive: true })

  const again = await openTab(await launch(levelDB, profile))
  expect(await again.evaluate(async () => (await window.faults.store.load('sound')).seq)).toBeGreaterThan(0)
  const error = await again.evaluate(() =>
    window.faults.store.inspect('damaged').then(
      () => undefined,
      (error: { code: string; readable?: number }) => ({ code: error.code, readable: error.readable }),
    ),
  )
  expect(error?.code).toBe('SESSION_CORRUPT')
  expect(error?.readable).toBeGreaterThanOrEqual(before)
  const fork = await again.evaluate(async (at) => (await window.faults.store.fork('damaged', at)).seq, before - 1)
  expect(fork).toBe(before)
})
