/** The worker dies in the middle of what it does, again and again: the page goes on with the same session. */
import type { Page } from 'playwright'
import { describe, expect, test } from 'vitest'
import { launch, levelDB, openTab, sqlite } from './browser.js'
import { expectWhole, find, type Life } from './ledger.js'
import { anyMagnitude, randomFrom, seed } from './random.js'
import { figure, times } from './site.js'

/** What is asked of the worker when it dies. */
const CALLS = ['nothing', 'flush', 'fork', 'create', 'stored', 'inspect', 'setTitle', 'export'] as const

const runs = [
  { engine: levelDB, count: times(20, 200) },
  { engine: sqlite, count: times(10, 200) },
]

describe.for(runs)('a worker that dies', ({ engine, count }) => {
  test(`${engine.title}, ${count} times`, { timeout: 3_600_000 }, async () => {
    const random = randomFrom(seed)
    const page = await openTab(await launch(engine))
    const life: Life = {
      id: 'a',
      base: [],
      plan: { seed, turn: 1, least: 20, most: 50_000 },
      durable: 0,
      flushed: 0,
    }
    await page.evaluate(() => window.faults.create('source', 1))
    await page.evaluate(() => window.faults.store.create('a'))
    const streaming = page.evaluate((plan) => window.faults.stream('a', plan), life.plan)
    const made = new Set<string>()
    let refused = 0
    for (let n = 0; n < count; n++) {
      const call = CALLS[Math.floor(random() * CALLS.length)]!
      const id = `made ${n}`
      const code = await dieDuring(page, call, id, anyMagnitude(random, 1, 60))
      expect([undefined, 'WORKER_FAILED']).toContain(code)
      if (call !== 'fork' && call !== 'create') continue
      if (code === undefined) made.add(id)
      else refused++
    }
    await page.evaluate(() => window.faults.stop())
    await streaming
    expect(await page.evaluate(() => window.faults.store.flush(window.faults.session('a')))).toBe(true)

    const { seq, state } = await page.evaluate(() => {
      const { seq, state } = window.faults.session('a')
      return { seq, state }
    })
    expect(state).toBe('live')
    // Once nobody writes it any more, its open turn is shown closed.
    await page.evaluate(() => window.faults.store.release(window.faults.session('a')))
    const other = await openTab(page.context())
    const found = (await find(other, 'a'))!
    expect(found.stored).toBe(seq)
    expectWhole(found, life)
    const stored = await other.evaluate(async () => (await window.faults.store.stored()).map(({ header }) => header.id))
    expect(new Set(stored)).toEqual(new Set(['a', 'source', ...made]))
    // Each was told of, and got over.
    const statuses = await page.evaluate(() => window.faults.statuses.map(([status]) => status))
    expect(statuses).toEqual(statuses.map((_, i) => (i % 2 === 0 ? 'failed' : 'ready')))
    figure(
      `${engine.title}: worker ended ${count} times; of ${seq} events 0 lost, 0 doubled; ` +
        `${refused} of ${made.size + refused} creates and forks under way refused, nothing left of them (FC_SEED=${seed})`,
    )
  })
})

/**
 * Ends the worker `ms` after a call was made, and waits until the stream is stored beyond what it was then. Answers what the
 * call was refused with.
 */
function dieDuring(page: Page, call: (typeof CALLS)[number], id: string, ms: number): Promise<string | undefined> {
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
      const { seq } = session
      faults.terminate()
      while (session.durable <= seq) await faults.pause(1)
      return called
    },
    [call, id, ms] as const,
  )
}
