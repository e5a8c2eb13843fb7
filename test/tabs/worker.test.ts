/** The worker of the tab that writes dies: the tab goes on, and nobody gets in between. */
import { expect, test } from 'vitest'
import { levelDB } from '../faults/browser.js'
import { seed } from '../faults/random.js'
import { inEach } from './browser.js'
import { times } from './site.js'
import { expectConverged, expectNothingLost, SMALL } from './stored.js'

const TIMES = times(3, 50)

inEach(
  (browser) => {
    test(`the writer's worker dies ${TIMES} times while others want the session`, { timeout: 600_000 }, async () => {
      const [writer, other] = await browser.two()
      await writer.evaluate(
        (plan) => {
          return window.tab.store.create('a').then(() => void window.tab.stream('a', plan))
        },
        { seed, ...SMALL },
      )
      await writer.waitForFunction(() => window.tab.session('a').durable > 0)
      await other.evaluate(() => window.tab.follow('a'))
      for (let n = 0; n < TIMES; n++) {
        const wanting = other.evaluate(() => window.tab.code(window.tab.store.load('a')))
        await writer.evaluate(() => window.tab.terminate())
        expect(await wanting).toBe('SESSION_LOCKED')
        const seq = await writer.evaluate(() => window.tab.session('a').seq)
        await writer.waitForFunction((seq) => window.tab.session('a').durable > seq, seq)
        expect(await writer.evaluate(() => window.tab.session('a').state)).toBe('live')
      }
      await writer.evaluate(() => window.tab.stop())
      await writer.evaluate(() => window.tab.store.flush(window.tab.session('a')))
      await expectNothingLost([writer])
      await expectConverged(writer, [other], 'a')
    })

    test('a session is taken over, in order, from a tab whose worker has just died', async () => {
      const pages = await browser.two()
      const [writer, other] = pages
      await writer.evaluate(
        async (plan) => {
          await window.tab.store.create('a')
          window.tab.append('a', plan, 4)
          window.tab.terminate()
          window.tab.appendChunks('a', 'after its death', 10)
        },
        { seed, ...SMALL },
      )
      await other.evaluate(() => window.tab.take('a'))
      expect(await writer.evaluate(() => window.tab.session('a').state)).toBe('released')
      await expectNothingLost(pages)
    })
  },
  { short: [levelDB] },
)
