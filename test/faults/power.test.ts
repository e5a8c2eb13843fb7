/** The power is cut while sessions are written, forked and merged: what was safe is there, and all of it can be read. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright'
import { describe, expect, test, vi } from 'vitest'
import { gecko, kill, launch, levelDB, openTab, processes, signal, sqlite } from './browser.js'
import { Disk, whyNoDisk } from './disk.js'
import { endedIn, expectWhole, find, Ledger } from './ledger.js'
import { anyMagnitude, randomFrom, seed } from './random.js'
import { figure, times } from './site.js'

const KB = 1024

const runs = [
  { engine: levelDB, count: times(1, 20) },
  { engine: sqlite, count: times(1, 20) },
  { engine: gecko, count: times(0, 5) },
]
const missing = whyNoDisk()

describe.skipIf(missing !== undefined)(`the power is cut${missing === undefined ? '' : ` (${missing})`}`, () => {
  for (const { engine, count } of runs) {
    // Merges come after every 64 batches of a session.
    const sum = { acknowledged: 0, found: 0, sessions: 0, forks: 0, batches: 0 }
    for (let n = 1; n <= count; n++) {
      test.skipIf(engine.isMissing)(`${engine.title}, cut ${n} of ${count}`, { timeout: 180_000 }, async () => {
        const before = Disk.make()
        const profile = join(before.folder, 'profile')
        const context = await launch(engine, profile)
        const ledger = new Ledger()
        await ledger.listen(context)
        const plan = { seed: seed + n, turn: 1, least: KB, most: 2048 * KB }
        ledger.begin('first', [], plan)
        const page = await openTab(context)
        await page.evaluate(() => window.faults.store.create('first'))
        page.evaluate((plan) => window.faults.bustle('first', plan), plan).catch(() => {})
        await vi.waitFor(() => expect(ledger.heard).toBeGreaterThan(0), { timeout: 30_000 })
        await pause(anyMagnitude(randomFrom(plan.seed), 300, 6000))
        // Nothing is written from here on, and nothing told.
        signal(processes(profile), 'SIGSTOP')
        const lives = structuredClone([...ledger.lives.values()])
        const after = before.cut()
        await kill(profile, context)
        await before.unmount()

        const again = await openTab(await launch(engine, join(after.folder, 'profile')))
        // What the store keeps elsewhere about its database knows no more than the disk.
        expect(await again.evaluate(() => window.faults.store.status)).toBe('ready')
        const there = await storedIds(again)
        for (const life of lives) {
          const safe = Math.max(life.flushed, endedIn(life))
          const found = there.includes(life.id) ? await find(again, life.id) : undefined
          if (found !== undefined) expectWhole(found, life)
          expect(found?.stored ?? 0).toBeGreaterThanOrEqual(safe)
          sum.acknowledged += safe
          sum.found += found?.stored ?? 0
        }
        sum.sessions += lives.length
        sum.forks += lives.length - 1
        sum.batches += ledger.heard
        expect(await openTurns(again, there)).toEqual([])
        if (n < count) return
        figure(
          `${engine.title}: power cut ${count} times; of ${sum.acknowledged} events that were safe in ${sum.sessions} ` +
            `sessions (${sum.forks} forks), written in more than ${sum.batches} batches, 0 lost, ` +
            `and ${sum.found - sum.acknowledged} more found (FC_SEED=${seed})`,
        )
      })
    }
  }
})

function storedIds(page: Page): Promise<string[]> {
  return page.evaluate(async () => (await window.faults.store.stored()).map(({ header }) => header.id))
}

/** Loads all that is stored; the turns that are open then. */
function openTurns(page: Page, ids: string[]): Promise<number[]> {
  return page.evaluate(async (ids) => {
    const sessions = await Promise.all(ids.map((id) => window.faults.store.load(id)))
    return sessions.flatMap(({ turn }) => turn.open ?? [])
  }, ids)
}
