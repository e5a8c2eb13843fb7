/** A kill cuts Chromium's own log short in the middle of a record: the databases outlive it (google/leveldb#1287). */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, test } from 'vitest'
import { kill, launch, levelDB, newProfile, openTab } from './browser.js'

const canKill = process.platform === 'linux'
/** What LevelDB writes before a record of 1,000 bytes: checksum, length, kind "whole". */
const HEADER = Uint8Array.of(1, 2, 3, 4, 0xe8, 0x03, 1)

describe.skipIf(!canKill)('a log of LevelDB that ends in half a record (Linux only)', () => {
  test('what was stored before and after it is there, however often the browser starts', async () => {
    const profile = newProfile()
    const first = await launch(levelDB, profile)
    await store(await openTab(first), 'before')
    await kill(profile, first)
    appendFileSync(join(profile, 'Default/IndexedDB', newestLog(profile)), HEADER)
    const second = await launch(levelDB, profile)
    await store(await openTab(second), 'after')
    await second.close()

    const third = await launch(levelDB, profile)
    const page = await openTab(third)
    expect(await page.evaluate(() => window.faults.store.status)).toBe('ready')
    const stored = await page.evaluate(async () =>
      [...(await window.faults.store.stored())].map(({ header }) => header.id).toSorted(),
    )
    expect(stored).toEqual(['after', 'before'])
  })
})

async function store(page: Page, id: string): Promise<void> {
  await page.evaluate(async (id) => {
    await window.faults.create(id, 3)
    await window.faults.store.flush(window.faults.session(id))
  }, id)
}

function newestLog(profile: string): string {
  return levelDB
    .files(profile)
    .filter((name) => name.endsWith('.log'))
    .toSorted()
    .at(-1)!
}
