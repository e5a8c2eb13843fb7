/** No room: nothing is lost by it, and what waits is stored as soon as there is some. */
import { describe, expect, test } from 'vitest'
import { launch, levelDB, newTab, openTab, sqlite } from './browser.js'
import { find } from './ledger.js'
import type { Plan } from './plan.js'
import { origin } from './site.js'

const plan: Plan = { seed: 1, turn: 1, least: 100_000, most: 200_000 }

describe.for([levelDB, sqlite])('with no room left', (engine) => {
  test(`${engine.title}: nothing is lost, and all is stored when there is some`, async () => {
    const context = await launch(engine)
    const page = await newTab(context)
    const cdp = await context.newCDPSession(page)
    // Before the first write: IndexedDB remembers for half a minute how much room there was.
    await cdp.send('Storage.overrideQuotaForOrigin', { origin: origin(), quotaSize: 1_500_000 })
    await page.evaluate(() => window.faults.open())
    const full = await page.evaluate(async (plan) => {
      const { faults } = window
      const session = await faults.store.create('a')
      const streaming = faults.stream('a', plan)
      while (faults.store.status !== 'full') await faults.pause(5)
      const { durable } = session
      const code = await faults.code(faults.store.flush(session))
      const appended = session.append('session/title', { title: 'kept', messageSeqs: [], source: { kind: 'user' } })
      const again = await faults.code(faults.store.flush(session))
      faults.stop()
      await streaming
      return { durable, still: session.durable, codes: [code, again], seq: session.seq, at: appended.seq }
    }, plan)
    expect(full.codes).toEqual(['STORAGE_FULL', 'STORAGE_FULL'])
    expect(full.still).toBe(full.durable)
    expect(full.seq).toBeGreaterThan(full.durable)

    await cdp.send('Storage.overrideQuotaForOrigin', { origin: origin() })
    // By itself: nobody asks for it.
    await page.waitForFunction(() => window.faults.session('a').durable === window.faults.session('a').seq)
    expect(await page.evaluate(() => window.faults.store.status)).toBe('ready')
    const found = (await find(await openTab(context), 'a'))!
    expect(found.events.slice(0, full.seq)).toEqual(await page.evaluate(() => window.faults.session('a').events))
    expect(found.stored).toBe(full.seq)
  })
})
