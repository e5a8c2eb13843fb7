/** The power is cut while sessions are written, forked and merged: what was safe is there, and all of it can be read. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { gecko, kill, launch, levelDB, newTab, processes, signal, sqlite, type Engine } from './browser.js'
import { Disk, whyNoDisk } from './disk.js'
import { endedIn, expectWhole, find, Ledger } from './ledger.js'
import { anyMagnitude, randomFrom, seed } from './random.js'
import { figure, times } from './site.js'
import { NOTHING, Toll } from './toll.js'

const KB = 1024

const runs = [
  { engine: levelDB, count: times(1, 20) },
  { engine: sqlite, count: times(1, 20) },
  { engine: gecko, count: times(0, 5) },
]
/** Of an engine that has no turn now. */
const whyNot = (count: number): string => (count > 0 ? '' : ' (long form only: a cut takes it up to 40 s)')
const missing = whyNoDisk()

describe.skipIf(missing !== undefined)(`the power is cut${missing === undefined ? '' : ` (${missing})`}`, () => {
  for (const { engine, count } of runs) {
    describe.skipIf(count === 0)(`in ${engine.title}${whyNot(count)}`, () => {
      const toll = new Toll()
      const sum = { cuts: 0, passed: 0, found: 0, sessions: 0, forks: 0, merges: 0 }

      for (let n = 1; n <= count; n++) {
        test.skipIf(engine.isMissing)(`cut ${n} of ${count}`, { timeout: 180_000 }, async () => {
          // A merge comes after 64 batches of a session only: every other cut waits for one.
          const { ledger, after } = await cutWhileWriting(engine, seed + n, n % 2 === 1)
          sum.cuts++
          const lives = [...ledger.lives.values()]
          sum.sessions += lives.length
          sum.forks += lives.length - 1
          sum.merges += ledger.merges
          const again = await newTab(await launch(engine, join(after.folder, 'profile')))
          const status = await again.evaluate(() => window.faults.open())
          const there = /^(ready|gone)$/.test(status) ? await storedIds(again) : []
          const whole: (() => void)[] = []
          const costs = []
          for (const life of lives) {
            const found = there.includes(life.id) ? await find(again, life.id) : undefined
            costs.push(toll.count(life, found, Math.max(life.flushed, endedIn(life))))
            if (found === undefined) continue
            sum.found += Math.max(0, found.stored - life.base.length)
            whole.push(() => expectWhole(found, life))
          }
          // All are counted before the first that is not as it should be ends the test.
          expect(costs).toEqual(costs.map(() => NOTHING))
          for (const expectIt of whole) expectIt()
          // What the store keeps elsewhere about its database knows no more than the disk.
          expect(status).toBe('ready')
          expect(await openTurns(again, there)).toEqual([])
          sum.passed++
        })
      }

      test.skipIf(engine.isMissing)('merges had happened before the cuts', () => {
        expect(sum.merges).toBeGreaterThan(0)
      })

      afterAll(() => {
        if (sum.cuts === 0) return
        figure(
          `${engine.title}: power cut ${sum.cuts} times (${sum.passed} passed); of ` +
            `${toll.safe} events that were safe in ${sum.sessions} sessions (${sum.forks} forks, ${sum.merges} merges) ` +
            `${toll.lost} lost, ${toll.doubled} doubled, and ${sum.found - toll.safe} more found`,
        )
      })
    })
  }
})

/** What a browser's pages had been told when the power was cut, and the disk as it is found afterwards. */
async function cutWhileWriting(engine: Engine, seed: number, isMerging: boolean) {
  const before = Disk.make()
  const profile = join(before.folder, 'profile')
  const context = await launch(engine, profile)
  const ledger = new Ledger()
  await ledger.listen(context)
  const plan = { seed, turn: 1, least: KB, most: 2048 * KB }
  ledger.begin('first', [], plan)
  const page = await newTab(context)
  expect(await page.evaluate(() => window.faults.open())).toBe('ready')
  await page.evaluate(() => window.faults.store.create('first'))
  page.evaluate(() => window.faults.watchMerges()).catch(() => {})
  page.evaluate((plan) => window.faults.bustle('first', plan), plan).catch(() => {})
  await vi.waitFor(() => expect(ledger.heard).toBeGreaterThan(0), { timeout: 30_000 })
  await vi.waitFor(() => expect(ledger.merges).toBeGreaterThanOrEqual(isMerging ? 1 : 0), { timeout: 60_000 })
  await pause(anyMagnitude(randomFrom(seed), 300, 6000))
  // Nothing is written from here on, and nothing told.
  signal(processes(profile), 'SIGSTOP')
  const told = structuredClone({ lives: ledger.lives, merges: ledger.merges })
  const after = before.cut()
  await kill(profile, context)
  await before.unmount()
  return { ledger: told, after }
}

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
