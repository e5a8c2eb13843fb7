/** A session that goes from tab to tab while it is written, in order. */
import { expect, test } from 'vitest'
import { randomFrom, seed } from '../faults/random.js'
import { inEach } from './browser.js'
import { figure, times } from './site.js'
import { expectConverged, expectNothingLost, SMALL } from './stored.js'

const TIMES = times(8, 50)
const ROUNDS = times(10, 100)

inEach((browser) => {
  test(`taken over ${TIMES} times from a tab that streams`, { timeout: 600_000 }, async () => {
    const random = randomFrom(seed)
    const pages = await browser.two()
    await pages[0].evaluate(() => window.tab.store.create('a'))
    const streams: Promise<void>[] = []
    for (let n = 0; n < TIMES; n++) {
      const owner = pages[n % 2]!
      const other = pages[(n + 1) % 2]!
      const plan = { seed: seed + n, ...SMALL }
      streams.push(owner.evaluate((plan) => window.tab.stream('a', plan), plan))
      const enough = Math.round(random() * 100)
      await owner.waitForFunction(
        ([enough]) => window.tab.session('a').durable > window.tab.session('a').firstLiveSeq + enough!,
        [enough],
      )
      // It lets go though the next token is always near.
      expect(
        await other.evaluate(() => window.tab.code(window.tab.store.load('a', { takeOver: true }))),
      ).toBeUndefined()
      expect(await owner.evaluate(() => window.tab.session('a').state)).toBe('released')
    }
    await Promise.all(streams)
    const { events } = await expectNothingLost(pages)
    figure(
      `${browser.engine.title}: taken over ${TIMES} times in mid-stream, in order: of ${events} events 0 lost, 0 doubled (FC_SEED=${seed})`,
    )
  })

  test(
    `three tabs ask at once, ${ROUNDS} times: one has it, the others may have it next`,
    { timeout: 600_000 },
    async () => {
      const pages = [...(await browser.two()), ...(await browser.two())]
      const [first] = pages
      await first!.evaluate(() => window.tab.store.create('a'))
      await Promise.all(pages.map((page) => page.evaluate(() => window.tab.pause(0))))
      let refused = 0
      for (let n = 0; n < ROUNDS; n++) {
        const owner = pages.at(n === 0 ? 0 : -1)!
        await owner.evaluate((plan) => void window.tab.stream('a', plan), { seed: seed + n, ...SMALL })
        // What is not stored yet is not there for others.
        await owner.waitForFunction(() => window.tab.session('a').durable > 0)
        const others = pages.filter((page) => page !== owner)
        const ask = () => window.tab.code(window.tab.store.load('a', { takeOver: true }))
        const codes = await Promise.all(others.map((page) => page.evaluate(ask)))
        refused += codes.filter((code) => code !== undefined).length
        for (const code of codes) expect([undefined, 'SESSION_LOCKED', 'SESSION_CONFLICT']).toContain(code)
        const live = await Promise.all(pages.map((page) => page.evaluate(() => window.tab.store.list().length)))
        expect(live.reduce((sum, count) => sum + count)).toBe(1)
        // A person asks once more, and has it.
        await pages.at(-1)!.evaluate(() => window.tab.take('a'))
      }
      await first!.evaluate(() => window.tab.follow('a'))
      const { events } = await expectNothingLost(pages)
      await expectConverged(pages.at(-1)!, [first!], 'a')
      figure(
        `${browser.engine.title}: three tabs asked at once ${ROUNDS} times: one had it each time, ${refused} were refused; ` +
          `of ${events} events 0 lost, 0 doubled (FC_SEED=${seed})`,
      )
    },
  )
})
