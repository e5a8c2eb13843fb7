/** Other tabs that hold the database: a bounded wait, an error that says so, and everything stored once they let go. */
import type { Page } from 'playwright'
import { describe, expect, test } from 'vitest'
import { launch, levelDB, newTab, openTab, sqlite } from './browser.js'
import { isLong } from './site.js'

/** Another application of this origin holds the database and does not let go when asked. */
async function hold(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((held, failed) => {
        const opening = indexedDB.open('faults')
        opening.addEventListener('success', () => {
          addEventListener('let go', () => opening.result.close())
          held()
        })
        opening.addEventListener('error', () => failed(opening.error as Error))
      }),
  )
}

const letGo = (page: Page): Promise<unknown> => page.evaluate(() => dispatchEvent(new Event('let go')))

/** A newer version wants the database; resolves when that waits for others. */
async function wantNext(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise((waits) => {
        indexedDB.open('faults', 99).addEventListener('blocked', waits)
      }),
  )
}

describe.for([levelDB, sqlite])('a database that others hold', (engine) => {
  test(`${engine.title}: opened while an upgrade waits for an old tab: BLOCKED within bounded time, and open once that is over`, async () => {
    const context = await launch(engine)
    const old = await openTab(context)
    await hold(old)
    await old.evaluate(() => window.faults.store.close())
    const newer = await newTab(context)
    await wantNext(newer)

    const page = await newTab(context)
    const start = Date.now()
    expect(await page.evaluate(() => window.faults.open())).toBe('BLOCKED')
    expect(Date.now() - start).toBeLessThan(20_000)

    // The newer version gives up, and the old tab lets go.
    await newer.close()
    await letGo(old)
    expect(await page.evaluate(() => window.faults.open())).toBe('ready')
  })

  test(`${engine.title}: a tab that made room for an upgrade which waits for another tab: blocked, events kept, all stored afterwards`, async () => {
    const context = await launch(engine)
    const page = await openTab(context)
    await page.evaluate(() => window.faults.create('a', 1))
    const old = await newTab(context)
    await hold(old)
    const newer = await newTab(context)
    await wantNext(newer)

    // Its connection is closed by now, or will be.
    const code = await page.evaluate(async () => {
      await window.faults.store.flush(window.faults.session('a'))
      for (;;) {
        window.faults.append('a', { seed: 2, turn: window.faults.session('a').turn.next, least: 10, most: 100 })
        const code = await window.faults.code(window.faults.store.flush(window.faults.session('a')))
        if (code !== undefined) return code
      }
    })
    expect(code).toBe('BLOCKED')
    expect(await page.evaluate(() => window.faults.store.status)).toBe('blocked')
    expect(await page.evaluate(() => window.faults.session('a').state)).toBe('live')

    await newer.close()
    await letGo(old)
    await page.waitForFunction(() => window.faults.session('a').durable === window.faults.session('a').seq)
    expect(await page.evaluate(() => window.faults.store.status)).toBe('ready')
  })

  // Ten seconds more, and much like the first.
  test.runIf(isLong)(
    `${engine.title}: a database that is to be deleted while a tab does not let go: opening it is BLOCKED (long form only)`,
    async () => {
      const context = await launch(engine)
      const old = await openTab(context)
      await hold(old)
      await old.evaluate(() => window.faults.store.close())
      const page = await newTab(context)
      await page.evaluate(
        () => new Promise((waits) => indexedDB.deleteDatabase('faults').addEventListener('blocked', waits)),
      )
      expect(await page.evaluate(() => window.faults.open())).toBe('BLOCKED')
      await letGo(old)
      // It is deleted now, and begins anew.
      await expect.poll(() => page.evaluate(() => window.faults.open())).toMatch(/ready|gone/)
    },
  )
})
