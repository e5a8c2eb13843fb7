/** A page that is loaded again and again: it never finds its session locked by what it was before. */
import { expect, test } from 'vitest'
import { seed } from '../faults/random.js'
import { inEach, ready } from './browser.js'
import { figure, times } from './site.js'
import { expectNothingLost, SMALL, stored } from './stored.js'

inEach((browser) => {
  const count = browser.isFirefox ? times(5, 200) : times(15, 200)

  test(`reloaded ${count} times, at once each time: never locked out by itself`, { timeout: 1_800_000 }, async () => {
    const page = await browser.open()
    await page.evaluate(() => window.tab.store.create('a', { seed: [] }))
    let longest = 0
    let length = 0
    for (let n = 0; n < count; n++) {
      const left = await page.evaluate(
        (plan) => {
          const { tab } = window
          tab.append('a', plan, 2)
          tab.appendChunks('a', `${plan.seed}`, 5)
          const session = tab.session('a')
          return { events: JSON.stringify(session.events), durable: session.durable }
        },
        { seed: seed + n, ...SMALL },
      )
      await page.reload()
      await ready(page)
      const { code, time } = await page.evaluate(async () => {
        const start = performance.now()
        const code = await window.tab.code(window.tab.store.load('a'))
        return { code, time: performance.now() - start }
      })
      expect(code).toBeUndefined()
      longest = Math.max(longest, time)
      // What it was told to be stored is there, and all of it is an unbroken part of what it had.
      const before = JSON.parse(left.events) as unknown[]
      const log = (await stored(page, 'a'))!
      const common = log.findIndex((event, i) => JSON.stringify(event) !== JSON.stringify(before[i]))
      expect(common < 0 ? log.length : common).toBeGreaterThanOrEqual(left.durable)
      expect(log.length).toBeGreaterThan(length)
      length = log.length
    }
    await expectNothingLost([page])
    figure(
      `${browser.engine.title}: reloaded ${count} times: never locked out, had its session after at most ${Math.round(longest)} ms (FC_SEED=${seed})`,
    )
  })
})
