/** Bytes of one value are lost, as disks do: the session says how far it can be read, and no other is touched. */
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { launch, levelDB, newProfile, openTab, sqlite } from './browser.js'

const runs = [
  { engine: levelDB, what: 'the side file of a large value is lost', damage: removeSideFile },
  { engine: sqlite, what: 'a few bytes of a large value are overwritten', damage: overwriteMiddle },
]

describe.for(runs)('a value that is damaged', ({ engine, what, damage }) => {
  test(`${engine.title}, ${what}: SESSION_CORRUPT, the part before it is readable, others are sound`, async () => {
    const profile = newProfile()
    const first = await launch(engine, profile)
    const page = await openTab(first)
    const before = await page.evaluate(async () => {
      await window.faults.create('sound', 1)
      const ends = await window.faults.create('damaged', 1)
      const session = window.faults.session('damaged')
      window.faults.append('damaged', { seed: 3, turn: 2, least: 1_000_000, most: 1_000_000 })
      await window.faults.store.flush(session)
      await window.faults.store.flush(window.faults.session('sound'))
      return ends[0]! + 1
    })
    await first.close()
    damage(join(profile, 'Default/IndexedDB'), engine.files(profile))

    const again = await openTab(await launch(engine, profile))
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
})

/** Chromium keeps values of this size beside its LevelDB. */
function removeSideFile(folder: string, files: string[]): void {
  const blobs = files.filter((name) => name.endsWith('.indexeddb.blob'))
  expect(blobs).toHaveLength(1)
  rmSync(join(folder, blobs[0]!), { recursive: true })
}

/** With SQLite they are in the one file of the database, of which this one is nearly all. */
function overwriteMiddle(folder: string, files: string[]): void {
  const databases = files.filter((name) => name.includes('/'))
  expect(databases).toHaveLength(1)
  const path = join(folder, databases[0]!)
  const file = openSync(path, 'r+')
  // Not where a page begins, with what leads to the next.
  const page = Math.floor(statSync(path).size / 2 / 4096) * 4096
  writeSync(file, Buffer.alloc(16, 0x5a), 0, 16, page + 1000)
  closeSync(file)
}
