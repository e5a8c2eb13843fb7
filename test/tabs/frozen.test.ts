/** Tabs that Chromium freezes: they are in nobody's way, and lose nothing by it. */
import type { BrowserContext, Page } from 'playwright'
import { describe, expect, test } from 'vitest'
import { launchWithHiddenTabs } from '../faults/background.js'
import { levelDB, sqlite, SQLITE } from '../faults/browser.js'
import { expectRecovers, hold, plan, rob } from './robbing.js'
import { ready } from './browser.js'
import { address, isLong } from './site.js'
import { expectConverged, expectNothingLost } from './stored.js'

async function openTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address())
  await ready(page)
  return page
}

/** A hidden tab is frozen. Answers what thaws it. */
async function freeze(context: BrowserContext, page: Page, seen: Page): Promise<() => Promise<unknown>> {
  await seen.bringToFront()
  await page.waitForFunction(() => document.visibilityState === 'hidden')
  const cdp = await context.newCDPSession(page)
  await cdp.send('Page.setWebLifecycleState', { state: 'frozen' })
  await expect.poll(() => page.evaluate(() => window.tab.freezes)).toBe(1)
  return () => cdp.send('Page.setWebLifecycleState', { state: 'active' })
}

describe.each([
  { title: levelDB.title, flags: [], isShort: true },
  { title: sqlite.title, flags: SQLITE, isShort: false },
])('$title', ({ flags, isShort }) => {
  const isLeftOut = !isLong && !isShort
  const note = isLeftOut ? ' (long form only)' : ''

  test.skipIf(isLeftOut)(`a holder that is frozen is robbed, and keeps what it had when it thaws${note}`, async () => {
    const context = await launchWithHiddenTabs(flags)
    const frozen = await openTab(context)
    await hold(frozen)
    const other = await openTab(context)
    const thaw = await freeze(context, frozen, other)
    const log = await rob(other)
    await thaw()
    await expectRecovers(frozen, other, log)
  })

  test.skipIf(isLeftOut)(
    `a follower that is frozen keeps nobody from the session, and catches up when it thaws${note}`,
    async () => {
      const context = await launchWithHiddenTabs(flags)
      const writer = await openTab(context)
      await writer.evaluate(async (plan) => {
        await window.tab.store.create('a')
        window.tab.append('a', plan, 2)
        await window.tab.store.flush(window.tab.session('a'))
      }, plan)
      const follower = await openTab(context)
      await follower.evaluate(() => window.tab.follow('a'))
      const thaw = await freeze(context, follower, writer)
      await writer.evaluate(() => window.tab.store.release(window.tab.session('a')))
      expect(await writer.evaluate(() => window.tab.code(window.tab.store.load('a')))).toBeUndefined()
      await writer.evaluate(
        (plan) => {
          window.tab.append('a', plan, 2)
          return window.tab.store.flush(window.tab.session('a'))
        },
        { ...plan, seed: plan.seed + 1 },
      )
      await thaw()
      await expectConverged(writer, [follower], 'a')
      await expectNothingLost([writer])
    },
  )
})
