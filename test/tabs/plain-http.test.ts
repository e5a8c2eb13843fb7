/** Tabs over plain http, where there are no Web Locks: they ask each other, and the epoch alone decides. */
import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { levelDB, sqlite } from '../faults/browser.js'
import { seed } from '../faults/random.js'
import { inEach } from './browser.js'
import { expectConverged, expectNothingLost, SMALL } from './stored.js'

const plan = { seed, ...SMALL }
/** What the other tab goes on with, told from what is there. */
const rest = { seed: seed + 1, ...SMALL }

/** The tab has 'a' live, with some turns and a turn that it is in. */
async function write(page: Page): Promise<void> {
  await page.evaluate(async (plan) => {
    const { tab } = window
    const session = await tab.store.create('a')
    tab.append('a', plan, 2)
    tab.appendChunks('a', 'under way', 10)
    await tab.store.flush(session)
  }, plan)
}

inEach(
  (browser) => {
    test('what another tab writes is followed by open, locked for load and delete, and taken over in order', async () => {
      const pages = await browser.two()
      const [writer, other] = pages
      expect(await other.evaluate(() => 'locks' in navigator)).toBe(false)
      await write(writer)
      expect(await other.evaluate(() => window.tab.store.open('a').then(({ state }) => state))).toBe('following')
      expect(await other.evaluate(() => window.tab.code(window.tab.store.load('a')))).toBe('SESSION_LOCKED')
      expect(await other.evaluate(() => window.tab.store.delete('a'))).toEqual([{ id: 'a', outcome: 'locked' }])
      await other.evaluate(() => window.tab.take('a'))
      expect(await writer.evaluate(() => window.tab.session('a').state)).toBe('released')
      await writer.evaluate(() => window.tab.follow('a'))
      await other.evaluate((rest) => window.tab.append('a', rest, 2), rest)
      await expectConverged(other, [writer], 'a')
      await expectNothingLost(pages)
    })

    test('a tab that could not answer is overtaken: it meets the conflict, and its events are kept', async () => {
      const pages = await browser.two()
      const [busy, other] = pages
      await write(busy)
      await busy.evaluate(() => {
        window.tab.holdBack()
        window.tab.appendChunks('a', 'late', 10)
      })
      const letGo = await browser.makeBusy(busy)
      await other.evaluate(async (rest) => {
        await window.tab.take('a')
        window.tab.append('a', rest, 2)
      }, rest)
      await letGo()
      await busy.evaluate(() => window.tab.letThrough())
      await busy.waitForFunction(() => window.tab.session('a').state === 'conflict')
      await expectNothingLost(pages)
    })
  },
  { engines: [levelDB, sqlite], short: [levelDB], host: 'agent.example' },
)
