/** A tab that the browser freezes: others are not blocked for ever by it, and it finds nothing wrong when it thaws. */
import type { Page } from 'playwright'
import { describe, expect, test } from 'vitest'
import { launchWithHiddenTabs } from './background.js'
import { openTab, SQLITE } from './browser.js'
import { expectWhole, find, type Life } from './ledger.js'
import { isLong } from './site.js'

/** Keeps a transaction on all sessions open for as long as the page runs, or until it lets go. */
async function holdTransaction(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((held) => {
        let isOver = false
        addEventListener('let go', () => (isOver = true))
        indexedDB.open('faults').addEventListener('success', (event) => {
          const db = (event.target as IDBOpenDBRequest).result
          const store = db.transaction(['sessions'], 'readwrite').objectStore('sessions')
          const again = (): void => {
            held()
            if (isOver) db.close()
            else store.get('a').addEventListener('success', again)
          }
          again()
        })
      }),
  )
}

const isLinux = process.platform === 'linux'

const runs = [
  { title: 'Chromium, LevelDB', flags: [], only: 'Linux only', isSkipped: !isLinux },
  // Half a minute more, and what waits is the same.
  {
    title: 'Chromium, SQLite',
    flags: SQLITE,
    only: 'Linux only, long form only',
    isSkipped: !isLinux || !isLong,
  },
]

describe.for(runs)('a tab that is frozen', ({ title, flags, only, isSkipped }) => {
  test.skipIf(isSkipped)(
    `${title}, inside a transaction: BLOCKED within its limit, all stored when it thaws (${only})`,
    { timeout: 120_000 },
    async () => {
      const context = await launchWithHiddenTabs(flags)
      const frozen = await openTab(context)
      const life: Life = { id: 'a', base: [], plan: { seed: 1, turn: 1, least: 10, most: 500 }, durable: 0, flushed: 0 }
      await frozen.evaluate(() => window.faults.store.create('a'))
      const streaming = frozen.evaluate((plan) => window.faults.stream('a', plan), life.plan)
      await frozen.waitForFunction(() => window.faults.session('a').durable > 20)
      const page = await openTab(context)
      await page.evaluate(() => window.faults.create('b', 1))
      await holdTransaction(frozen)
      const cdp = await context.newCDPSession(frozen)
      await page.bringToFront()
      await frozen.waitForFunction(() => document.visibilityState === 'hidden')
      await cdp.send('Page.setWebLifecycleState', { state: 'frozen' })

      const start = Date.now()
      const code = await page.evaluate(() => {
        window.faults.append('b', { seed: 2, turn: 2, least: 10, most: 100 })
        return window.faults.code(window.faults.store.flush(window.faults.session('b')))
      })
      expect(code).toBe('BLOCKED')
      expect(Date.now() - start).toBeLessThan(45_000)
      expect(await page.evaluate(() => window.faults.store.status)).toBe('blocked')

      await cdp.send('Page.setWebLifecycleState', { state: 'active' })
      await frozen.evaluate(() => dispatchEvent(new Event('let go')))
      await page.waitForFunction(() => window.faults.session('b').durable === window.faults.session('b').seq)
      expect(await page.evaluate(() => window.faults.store.status)).toBe('ready')

      // Neither its worker nor its transactions were given up for the time in which nothing of it ran.
      await frozen.evaluate(() => window.faults.stop())
      await streaming
      expect(await frozen.evaluate(() => window.faults.store.flush(window.faults.session('a')))).toBe(true)
      expect(await frozen.evaluate(() => [window.faults.freezes, window.faults.statuses])).toEqual([1, []])
      // Once nobody writes it any more, its open turn is shown closed.
      await frozen.evaluate(() => window.faults.store.release(window.faults.session('a')))
      expectWhole((await find(page, 'a'))!, life)
    },
  )
})
