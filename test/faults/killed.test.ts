/** The browser's processes are killed while a turn streams in: what was stored is there, and only that. */
import { setTimeout as pause } from 'node:timers/promises'
import type { SessionEvent } from 'idb-sessions'
import { lastForkPoint } from 'idb-sessions/log'
import { afterAll, assert, describe, expect, test, vi } from 'vitest'
import { gecko, levelDB, newProfile, sqlite } from './browser.js'
import { killable } from './killable.js'
import { expectWhole, find, Ledger, type Driven, type Found, type Life } from './ledger.js'
import type { Plan } from './plan.js'
import { anyMagnitude, randomFrom, seed } from './random.js'
import { figure, times } from './site.js'
import { NOTHING, Toll } from './toll.js'
import { webkit } from './webkit.js'

/** So often a new session begins, so that logs do not grow for ever. */
const LIVES = 10

const canKill = process.platform === 'linux'

const runs = [
  { engine: killable(levelDB), count: times(4, 100), hasLevelDB: true },
  { engine: killable(sqlite), count: times(3, 100), hasLevelDB: false },
  { engine: killable(gecko), count: times(1, 10), hasLevelDB: false },
  { engine: webkit, count: times(2, 20), hasLevelDB: false },
]

describe.skipIf(!canKill).for(runs)('a browser killed with all its processes (Linux only)', (run) => {
  const { engine, count, hasLevelDB } = run
  const toll = new Toll()
  const sum = { kills: 0, open: 0, loading: 0 }

  test.skipIf(engine.isMissing)(`${engine.title}, ${count} times`, { timeout: 3_600_000 }, async () => {
    const random = randomFrom(seed)
    const profile = newProfile()
    let life: Life | undefined
    /** What a load, which was cut off, was to give. */
    let seen: readonly SessionEvent[] | undefined
    for (let n = 0; n < count; n++) {
      const ledger = new Ledger()
      const { page, kill } = await engine.start(profile, ledger)
      if (life !== undefined) {
        const found = await expectSurvived(page, life, toll, seen)
        if (found !== undefined && found.events.length > found.stored) sum.open++
        seen = undefined
        // It never got an event.
        if (found === undefined) life = undefined
      }
      if (life !== undefined && random() < 0.15) {
        seen = (await find(page, life.id))!.events
        page.evaluate((id) => window.faults.store.load(id), life.id).catch(() => {})
        await pause(anyMagnitude(random, 1, 30))
        await kill()
        sum.kills++
        sum.loading++
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
      await kill()
      sum.kills++
    }
    const { page } = await engine.start(profile, new Ledger())
    await expectSurvived(page, life!, toll, seen)
    expect(toll.safe).toBeGreaterThan(0)
    expect(engine.files(profile).some((name) => name.includes('.indexeddb.leveldb'))).toBe(hasLevelDB)
  })

  afterAll(() => {
    if (sum.kills === 0) return
    figure(
      `${engine.title}: killed ${sum.kills} times, in ${sum.open} open turns and ${sum.loading} loads; of ${toll.safe} ` +
        `acknowledged events ${toll.lost} lost, ${toll.doubled} doubled`,
    )
  })
})

/** Resolves when something that was appended to a session is stored. */
function heard(life: Life): Promise<void> {
  const { length } = life.base
  return vi.waitFor(() => expect(life.durable).toBeGreaterThan(length), { timeout: 30_000, interval: 5 })
}

/** A session to stream into: a new one, the one of the last life loaded, or a fork of that. */
async function begin(page: Driven, last: Life | undefined, newId: string, forks: boolean) {
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
async function expectSurvived(
  page: Driven,
  life: Life,
  toll: Toll,
  seen?: readonly SessionEvent[],
): Promise<Found | undefined> {
  const found = await find(page, life.id)
  const cost = seen === undefined ? toll.count(life, found, life.durable) : toll.countAgain(life, found, life.durable)
  expect(cost).toEqual(NOTHING)
  expect(found?.stored ?? 0).toBeGreaterThanOrEqual(life.durable)
  if (found === undefined) return undefined
  if (seen === undefined) expectWhole(found, life)
  else assert.deepEqual(found.events, seen)
  return found
}

function turnsIn(log: readonly SessionEvent[]): number {
  return log.filter(({ type }) => type === 'turn/start').length
}
