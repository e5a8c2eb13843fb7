/** A holder that does not answer: it is robbed, what it sends late changes nothing, and nothing of its is lost. */
import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { sqlite } from '../faults/browser.js'
import { inEach } from './browser.js'
import { expectRecovers, hold, plan, rob } from './robbing.js'
import { expectNothingLost } from './stored.js'

inEach(
  (browser) => {
    test('a holder that is too busy to answer', async () => {
      const [busy, other] = await browser.two()
      await hold(busy)
      const letGo = await browser.makeBusy(busy)
      const log = await rob(other)
      await letGo()
      await expectRecovers(busy, other, log)
      await expectNothingLost([other])
    })

    test('a holder that dies: every other tab may have it, with all that was stored', async () => {
      const [dying, other] = await browser.two()
      await dying.evaluate(async (plan) => {
        await window.tab.store.create('a')
        void window.tab.stream('a', plan)
      }, plan)
      await dying.waitForFunction(() => window.tab.session('a').durable > 10)
      const { durable, events } = await dying.evaluate(() => {
        const { durable, events } = window.tab.session('a')
        return { durable, events: JSON.stringify(events.slice(0, durable)) }
      })
      // It asks while the other is still there.
      const taking = other.evaluate(() => window.tab.code(window.tab.store.load('a')))
      if (!browser.isFirefox) await crash(dying)
      else await dying.close()
      expect(await taking).toBeUndefined()
      const log = JSON.parse((await other.evaluate(() => window.tab.see('a'))).events) as unknown[]
      expect(JSON.stringify(log.slice(0, durable))).toBe(events)
    })

    test('a holder that dies while it stores what it has for who wants it', async () => {
      const [dying, other] = await browser.two()
      await dying.evaluate(async (plan) => {
        const { store } = window.tab
        const session = await store.create('a')
        window.tab.append('a', plan, 2)
        await store.flush(session)
        // It has been asked, and never comes to its end.
        store.on('session/flush', () => {
          document.title = 'asked'
          return new Promise(() => {})
        })
      }, plan)
      const { events } = await dying.evaluate(() => window.tab.see('a'))
      const taking = other.evaluate(() => window.tab.code(window.tab.store.load('a', { takeOver: true })))
      await dying.waitForFunction(() => document.title === 'asked')
      if (!browser.isFirefox) await crash(dying)
      else await dying.close()
      expect(await taking).toBeUndefined()
      expect(await other.evaluate(() => window.tab.see('a'))).toMatchObject({ events, state: 'live' })
    })
  },
  { short: [sqlite] },
)

async function crash(page: Page): Promise<void> {
  const crashed = page.waitForEvent('crash')
  const cdp = await page.context().newCDPSession(page)
  // Its answer never comes.
  cdp.send('Page.crash').catch(() => {})
  await crashed
}
