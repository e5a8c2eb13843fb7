/** A holder that has no room for what it holds: nobody takes it from it, and it can let go as soon as there is room. */
import { expect, test } from 'vitest'
import { levelDB, sqlite } from '../faults/browser.js'
import { inEach, ready } from './browser.js'
import { origin } from './site.js'
import { expectNothingLost, SMALL } from './stored.js'

inEach(
  (browser) => {
    test('a session whose tab cannot store it is locked, and says why, until there is room', async () => {
      const full = await browser.newTab()
      const cdp = await full.context().newCDPSession(full)
      // Before the first write: IndexedDB remembers for half a minute how much room there was.
      await cdp.send('Storage.overrideQuotaForOrigin', { origin: origin(), quotaSize: 1_500_000 })
      await ready(full)
      await full.evaluate(async () => {
        const { tab } = window
        await tab.store.create('a')
        while (tab.store.status !== 'full') {
          tab.append('a', { seed: 1, least: 100_000, most: 200_000 }, 4)
          await tab.code(tab.store.flush(tab.session('a')))
        }
      })
      const other = await browser.open()
      const refusal = await other.evaluate(async () => {
        try {
          await window.tab.store.load('a', { takeOver: true })
          return undefined
        } catch (error) {
          const { code, cause } = error as { code: string; cause?: { code: string } }
          return [code, cause?.code]
        }
      })
      expect(refusal).toEqual(['SESSION_LOCKED', 'STORAGE_FULL'])
      // It has lost nothing by being asked, and takes more.
      expect(await full.evaluate(() => window.tab.session('a').state)).toBe('live')
      await full.evaluate((plan) => window.tab.append('a', plan, 1), { seed: 1, ...SMALL })

      await cdp.send('Storage.overrideQuotaForOrigin', { origin: origin() })
      await other.evaluate(() => window.tab.take('a'))
      expect(await full.evaluate(() => window.tab.session('a').state)).toBe('released')
      await expectNothingLost([full, other])
    })
  },
  // Firefox takes its quota from a setting that cannot be changed while it runs.
  { engines: [levelDB, sqlite], short: [sqlite] },
)
