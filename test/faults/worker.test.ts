/** The worker dies in the middle of what it does, again and again: the page goes on with the same session. */
import type { Page } from 'playwright'
import { afterAll, describe, expect, test } from 'vitest'
import { gecko, launch, levelDB, openTab, sqlite } from './browser.js'
import { expectWhole, find, type Life } from './ledger.js'
import { anyMagnitude, randomFrom, seed } from './random.js'
import { figure, times } from './site.js'
import { NOTHING, Toll } from './toll.js'

/** What is asked of the worker when it dies. */
const CALLS = ['nothing', 'flush', 'fork', 'create', 'stored', 'inspect', 'setTitle', 'export'] as const

const runs = [
  { engine: levelDB, count: times(20, 200) },
  { engine: sqlite, count: times(10, 200) },
  { engine: gecko, count: times(10, 200) },
]

describe.for(runs)('a worker that dies', ({ engine, count }) => {
  const toll = new Toll()
  const sum = { deaths: 0, writing: 0, made: 0, refused: 0 }

  test.skipIf(engine.isMissing)(`${engine.title}, ${count} times`, { timeout: 3_600_000 }, async () => {
    const random = randomFrom(seed)
    const page = await openTab(await launch(engine))
    const life = lifeOf(20, 50_000)
    await page.evaluate(() => window.faults.create('source', 1))
    await page.evaluate(() => window.faults.store.create('a'))
    const streaming = page.evaluate((plan) => window.faults.stream('a', plan), life.plan)
    const made = new Set<string>()
    for (let n = 0; n < count; n++) {
      const call = CALLS[Math.floor(random() * CALLS.length)]!
      const id = `made ${n}`
      const { code, wasWriting } = await dieDuring(page, call, id, anyMagnitude(random, 1, 60))
      expect([undefined, 'WORKER_FAILED']).toContain(code)
      sum.deaths++
      if (wasWriting) sum.writing++
      if (call !== 'fork' && call !== 'create') continue
      if (code === undefined) made.add(id)
      else sum.refused++
    }
    sum.made = made.size
    await page.evaluate(() => window.faults.stop())
    await streaming
    expect(await page.evaluate(() => window.faults.store.flush(window.faults.session('a')))).toBe(true)
    await expectAllThere(page, life, toll)
    const other = await openTab(page.context())
    const stored = await other.evaluate(async () => (await window.faults.store.stored()).map(({ header }) => header.id))
    expect(new Set(stored)).toEqual(new Set(['a', 'source', ...made]))
    // Each was told of, and got over.
    const statuses = await page.evaluate(() => window.faults.statuses.map(([status]) => status))
    expect(statuses).toEqual(statuses.map((_, i) => (i % 2 === 0 ? 'failed' : 'ready')))
    // A worker that has nothing to do loses nothing.
    expect(sum.writing).toBeGreaterThan(0)
  })

  afterAll(() => {
    if (sum.deaths === 0) return
    figure(
      `${engine.title}: worker ended ${sum.deaths} times, ${sum.writing} of them with events on their way; of ` +
        `${toll.safe} events ${toll.lost} lost, ${toll.doubled} doubled; ${sum.refused} of ${sum.made + sum.refused} ` +
        `creates and forks under way refused, nothing left of them`,
    )
  })
})

describe.for([levelDB, sqlite, gecko])('a worker that dies when nothing more is appended', (engine) => {
  test.skipIf(engine.isMissing)(`${engine.title}: the next flush stores all that was on its way`, async () => {
    const page = await openTab(await launch(engine))
    const life = lifeOf(20, 50_000)
    await page.evaluate(() => window.faults.store.create('a'))
    const flushes = await page.evaluate(async (plan) => {
      const { faults } = window
      const session = faults.session('a')
      const streaming = faults.stream('a', plan)
      while (session.durable < 20 || session.durable === session.seq) await faults.pause(1)
      faults.stop()
      faults.terminate()
      const first = await faults.code(faults.store.flush(session))
      await streaming
      return { first, second: await faults.store.flush(session) }
    }, life.plan)
    // Called of a worker that is not known to be dead yet, it may fail as that one's other calls do.
    expect(['WORKER_FAILED', undefined]).toContain(flushes.first)
    expect(flushes.second).toBe(true)
    await expectAllThere(page, life, new Toll())
  })
})

function lifeOf(least: number, most: number): Life {
  return { id: 'a', base: [], plan: { seed, turn: 1, least, most }, durable: 0, flushed: 0 }
}

/** All that was appended to the session is stored, once: seen by another page when nobody writes it any more. */
async function expectAllThere(page: Page, life: Life, toll: Toll): Promise<void> {
  const { seq, state } = await page.evaluate(() => {
    const { seq, state } = window.faults.session('a')
    return { seq, state }
  })
  expect(state).toBe('live')
  // Until then its open turn is not shown closed.
  await page.evaluate(() => window.faults.store.release(window.faults.session('a')))
  const found = await find(await openTab(page.context()), 'a')
  expect(toll.count(life, found, seq)).toEqual(NOTHING)
  expect(found?.stored).toBe(seq)
  expectWhole(found!, life)
}

/**
 * Ends the worker `ms` after a call was made, and waits until the stream is stored beyond what it was then. Answers what the
 * call was refused with, and whether events were on their way to the disk.
 */
function dieDuring(page: Page, call: (typeof CALLS)[number], id: string, ms: number) {
  return page.evaluate(
    async ([call, id, ms]) => {
      const { faults } = window
      const { store } = faults
      const session = faults.session('a')
      const calls = {
        nothing: async () => {},
        flush: () => store.flush(session),
        fork: () => store.fork('source', undefined, id),
        create: () => store.create(id, { seed: store.get('source')!.events }),
        stored: () => store.stored(),
        inspect: () => store.inspect('a'),
        setTitle: () => store.setTitle('a', id),
        export: () => faults.exported('a'),
      }
      const called = faults.code(calls[call]())
      await faults.pause(ms)
      const { seq, durable } = session
      faults.terminate()
      while (session.durable <= seq) await faults.pause(1)
      return { code: await called, wasWriting: seq > durable }
    },
    [call, id, ms] as const,
  )
}
