/** A page in the back/forward cache: it comes back with all that it had, whatever has become of its session meanwhile. */
import type { Page } from 'playwright'
import { expect, test, type TestContext } from 'vitest'
import { levelDB, sqlite } from '../faults/browser.js'
import { seed } from '../faults/random.js'
import { inEach } from './browser.js'
import { address } from './site.js'
import { expectNothingLost, SMALL, stored } from './stored.js'

declare global {
  interface Window {
    deleting: Promise<unknown>
  }
}

const plan = { seed, ...SMALL }

/** A page that has 'a' live leaves for another, with chunks that it has appended in its last breath. */
async function leave(page: Page): Promise<void> {
  await page.evaluate(() => {
    const append = (): void => window.tab.appendChunks('a', `unsaved ${window.tab.shown.length}`, 10)
    addEventListener('pagehide', append, { once: true })
  })
  await page.goto(address('another'))
}

/** Why Chromium may keep no page at all: time, memory and its own limits, whatever the page did. */
const OUTSIDE: readonly string[] = [
  'BackForwardCacheDisabledByLowMemory',
  'CacheFlushed',
  'CacheLimit',
  'ForegroundCacheLimit',
  'RendererProcessKilled',
  'Timeout',
  'TimeoutPuttingInCache',
]

/**
 * It is that very page that comes back, not a new one. The browser decides what it keeps, and for how long: where it kept
 * this page not for reasons of its own alone, the test is skipped, with them; any other reason is the library's fault.
 */
async function comeBack(page: Page, { skip }: TestContext): Promise<void> {
  const why: string[] = []
  const cdp = await page.context().newCDPSession(page)
  cdp.on('Page.backForwardCacheNotUsed', ({ notRestoredExplanations }) =>
    why.push(...notRestoredExplanations.map(({ reason }) => reason)),
  )
  await cdp.send('Page.enable')
  await page.goBack({ waitUntil: 'commit' })
  await page.waitForFunction(() => window.tab.shown.length > 0)
  const shown = await page.evaluate(() => window.tab.shown)
  const isOutside = why.length > 0 && why.every((reason) => OUTSIDE.includes(reason))
  skip(shown.at(-1) !== true && isOutside, `the browser did not keep the page: ${why.join(', ')}`)
  expect(shown.at(-1), `it came from the back/forward cache, not kept there: ${why.join(', ')}`).toBe(true)
}

function seqOf(page: Page): Promise<number> {
  return page.evaluate(() => window.tab.session('a').seq)
}

inEach(
  (browser) => {
    test('it goes on, when nobody has taken its session', async (context) => {
      const page = await browser.open()
      await page.evaluate(async (plan) => {
        await window.tab.store.create('a')
        window.tab.append('a', plan, 2)
      }, plan)
      await leave(page)
      await comeBack(page, context)
      expect(await page.evaluate(() => window.tab.session('a').state)).toBe('live')
      await page.evaluate(() => window.tab.appendChunks('a', 'back', 10))
      expect(await page.evaluate(() => window.tab.store.flush(window.tab.session('a')))).toBe(true)
      expect((await stored(page, 'a'))!.length).toBeGreaterThanOrEqual(await seqOf(page))
      await expectNothingLost([page])
      // Nobody else gets it without asking.
      const other = await browser.open()
      expect(await other.evaluate(() => window.tab.code(window.tab.store.load('a')))).toBe('SESSION_LOCKED')
    })

    for (const after of ['keeps it', 'lets it go'] as const) {
      test(`it meets a conflict, and its events are kept, when another tab has taken its session and ${after}`, async (context) => {
        const [page, other] = await browser.two()
        await page.evaluate(async (plan) => {
          await window.tab.store.create('a')
          window.tab.append('a', plan, 2)
          await window.tab.store.flush(window.tab.session('a'))
        }, plan)
        await leave(page)
        await other.evaluate(
          async ([plan, after]) => {
            const { tab } = window
            const session = await tab.take('a')
            tab.append('a', { ...plan, seed: plan.seed + 1 }, 2)
            await tab.store.flush(session)
            if (after === 'lets it go') await tab.store.release(session)
          },
          [plan, after] as const,
        )
        const log = JSON.stringify(await stored(other, 'a'))
        await comeBack(page, context)
        // Without a word from anybody.
        await page.waitForFunction(() => window.tab.session('a').state === 'conflict')
        expect(JSON.stringify(await stored(other, 'a'))).toBe(log)
        const own = await page.evaluate(() => window.tab.see('a').events)
        await page.evaluate(() => window.tab.session('a').saveAsFork('saved'))
        expect(JSON.stringify(await stored(other, 'saved'))).toBe(own)
        expect(await page.evaluate(() => window.tab.take('a').then(({ state }) => state))).toBe('live')
        await expectNothingLost([other])
      })
    }

    test('it deletes nothing that another tab has taken', async (context) => {
      const [page, other] = await browser.two()
      await page.evaluate(async (plan) => {
        const session = await window.tab.store.create('a')
        window.tab.append('a', plan, 2)
        await window.tab.store.flush(session)
        // Before the page knows what has become of its session.
        const remove = (): void => void (window.deleting = window.tab.store.delete('a'))
        addEventListener('pageshow', remove, { once: true })
      }, plan)
      await page.goto(address('another'))
      await other.evaluate(() => window.tab.take('a'))
      await comeBack(page, context)
      expect(await page.evaluate(() => window.deleting)).toEqual([{ id: 'a', outcome: 'locked' }])
      await other.evaluate((plan) => window.tab.append('a', plan, 1), { ...plan, seed: plan.seed + 1 })
      await expectNothingLost([other])
    })

    test('another tab deletes its session', async (context) => {
      const [page, other] = await browser.two()
      await page.evaluate(async (plan) => {
        await window.tab.store.create('a')
        window.tab.append('a', plan, 2)
        await window.tab.store.flush(window.tab.session('a'))
      }, plan)
      await leave(page)
      expect(await other.evaluate(() => window.tab.store.delete('a'))).toEqual([{ id: 'a', outcome: 'deleted' }])
      await comeBack(page, context)
      await page.waitForFunction(() => window.tab.session('a').state === 'deleted')
      expect(await stored(other, 'a')).toBeUndefined()
      const own = await page.evaluate(() => window.tab.see('a').events)
      await page.evaluate(() => window.tab.session('a').saveAsFork('saved'))
      expect(JSON.stringify(await stored(other, 'saved'))).toContain(own.slice(0, -1))
    })
  },
  // Playwright starts Chromium without that cache.
  { engines: [levelDB, sqlite], short: [levelDB], without: ['--disable-back-forward-cache'] },
)
