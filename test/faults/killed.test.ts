/** The browser's processes are killed while a turn streams in: what was stored is there, and only that. */
import { setTimeout as pause } from 'node:timers/promises'
import type { SessionEvent } from 'idb-sessions'
import { lastForkPoint } from 'idb-sessions/log'
import type { Page } from 'playwright'
import { assert, describe, expect, test, vi } from 'vitest'
import { gecko, kill, launch, levelDB, newProfile, openTab, sqlite } from './browser.js'
import { expectWhole, find, Ledger, type Found, type Life } from './ledger.js'
import type { Plan } from './plan.js'
import { anyMagnitude, randomFrom, seed } from './random.js'
import { figure, times } from './site.js'

/** So often a new session begins, so that logs do not grow for ever. */
const LIVES = 10

const canKill = process.platform === 'linux'

const runs = [
  { engine: levelDB, count: times(4, 100) },
  { engine: sqlite, count: times(3, 100) },
  { engine: gecko, count: times(1, 10) },
]

describe.skipIf(!canKill).for(runs)('a browser killed with all its processes (Linux only)', ({ engine, count }) => {
  test.skipIf(engine.isMissing)(`${engine.title}, ${count} times`, { timeout: 3_600_000 }, async () => {
    const random = randomFrom(seed)
    const profile = newProfile()
    let life: Life | undefined
    let acknowledged = 0
    let open = 0
    let loading = 0
    /** What a load, which was cut off, was to give. */
    let seen: readonly SessionEvent[] | undefined
    for (let n = 0; n < count; n++) {
      const context = await launch(engine, profile)
      const ledger = new Ledger()
      await ledger.listen(context)
      const page = await openTab(context)
      if (life !== undefined) {
        const found = await expectSurvived(page, life, seen)
        if (found !== undefined && found.events.length > found.stored) open++
        if (seen === undefined) acknowledged += life.durable - life.base.length
        seen = undefined
        // It never got an event.
        if (found === undefined) life = undefined
      }
      if (life !== undefined && random() < 0.15) {
        seen = (await find(page, life.id))!.events
        page.evaluate((id) => window.faults.store.load(id), life.id).catch(() => {})
        await pause(anyMagnitude(random, 1, 30))
        await kill(profile, context)
        loading++
        continue
      }
      if (n % LIVES === 0) life = undefined
      const { id, base } = await begin(page, life, `session ${n}`, random() < 0.2)
      const plan: Plan = { seed: seed + n, turn: turnsIn(base) + 1, least: 20, most: 20_000 }
      life = ledger.begin(id, base, plan)
      life.durable = base.length
      // Its answer never comes.
      page.evaluate(([id, plan]) => window.faults.stream(id, plan), [id, plan] as const).catch(() => {})
      // Half of them have something to lose, the first one in any case.
      if (n === 0 || random() < 0.5) await heard(life)
      await pause(anyMagnitude(random, 1, 600))
      await kill(profile, context)
    }
    const page = await openTab(await launch(engine, profile))
    await expectSurvived(page, life!, seen)
    if (seen === undefined) acknowledged += life!.durable - life!.base.length
    expect(acknowledged).toBeGreaterThan(0)
    figure(
      `${engine.title}: killed ${count} times, in ${open} open turns and ${loading} loads; of ${acknowledged} ` +
        `acknowledged events 0 lost, 0 doubled (FC_SEED=${seed})`,
    )
    expect(engine.files(profile).some((name) => name.includes('.indexeddb.leveldb'))).toBe(engine === levelDB)
  })
})

/** Resolves when something that was appended to a session is stored. */
function heard(life: Life): Promise<void> {
  const { length } = life.base
  return vi.waitFor(() => expect(life.durable).toBeGreaterThan(length), { timeout: 30_000, interval: 5 })
}

/** A session to stream into: a new one, the one of the last life loaded, or a fork of that. */
async function begin(page: Page, last: Life | undefined, newId: string, forks: boolean) {
  if (last === undefined) {
    await page.evaluate((id) => window.faults.store.create(id), newId)
    return { id: newId, base: [] }
  }
  const before = (await find(page, last.id))!
  const base = await page.evaluate(async (id) => (await window.faults.store.load(id)).events as SessionEvent[], last.id)
  // Loading has written what looking has shown.
  expect(base).toEqual(before.events)
  expect((await find(page, last.id))!.events).toEqual(base)
  const at = lastForkPoint(base)
  if (!forks || at === undefined) return { id: last.id, base }
  await page.evaluate(([from, at, id]) => window.faults.store.fork(from, at, id), [last.id, at, newId] as const)
  return { id: newId, base: base.slice(0, at + 1) }
}

/** @param seen what a load that was cut off had found: it has written its closers, or nothing */
async function expectSurvived(page: Page, life: Life, seen?: readonly SessionEvent[]): Promise<Found | undefined> {
  const found = await find(page, life.id)
  expect(found?.stored ?? 0).toBeGreaterThanOrEqual(life.durable)
  if (found === undefined) return undefined
  if (seen === undefined) expectWhole(found, life)
  else assert.deepEqual(found.events, seen)
  return found
}

function turnsIn(log: readonly SessionEvent[]): number {
  return log.filter(({ type }) => type === 'turn/start').length
}
