/** A page that is left with events not yet stored, for good or for a while. */
import type { Page } from 'playwright'
import { describe, expect, test } from 'vitest'
import { launch, levelDB, openTab, sqlite } from './browser.js'
import { find } from './ledger.js'
import { address } from './site.js'

/** As people's browsers are: Playwright switches the back/forward cache off. */
const cached = { without: ['--disable-back-forward-cache'] }

/** Appends chunks, which would wait for more, in the same breath as what follows. */
function appendChunks(count: number): void {
  const session = window.faults.session('a')
  const { open: turn = 1, step = 1 } = session.turn
  for (let i = 0; i < count; i++) {
    session.append('assistant/chunk', { turn, step, chunk: { type: 'text-delta', index: 0, text: `${i}` } })
  }
}

async function startTurn(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const session = await window.faults.store.create('a')
    session.append('turn/start', { turn: 1 })
    session.append('step/start', { turn: 1, step: 1 })
    await window.faults.store.flush(session)
  })
}

/** What did not arrive by then does not. */
const LOST_AFTER = { timeout: 5_000 }

describe.for([levelDB, sqlite])('a page that is left', (engine) => {
  // What the page sends last races its worker's end, and on a busy machine it may lose: hence more than one try.
  test(`${engine.title}: chunks appended just before a page is left for another are stored`, { retry: 2 }, async () => {
    const context = await launch(engine, undefined, cached)
    const page = await openTab(context)
    await startTurn(page)
    await page.evaluate(appendChunks, 10)
    await page.goto(`${address()}?another`)
    const other = await openTab(context)
    await expect.poll(async () => (await find(other, 'a'))!.stored, LOST_AFTER).toBe(12)
  })

  test(`${engine.title}: chunks appended just before a tab is closed are stored`, { retry: 2 }, async () => {
    const context = await launch(engine)
    const page = await openTab(context)
    const other = await openTab(context)
    await startTurn(page)
    await page.evaluate(appendChunks, 10)
    await page.close({ runBeforeUnload: true })
    await expect.poll(async () => (await find(other, 'a'))!.stored, LOST_AFTER).toBe(12)
  })

  test(`${engine.title}: a tab that crashes leaves what was stored, and its open turn is closed by the next that loads it`, async () => {
    const context = await launch(engine)
    const page = await openTab(context)
    const other = await openTab(context)
    await startTurn(page)
    const cdp = await context.newCDPSession(page)
    const crashed = page.waitForEvent('crash')
    cdp.send('Page.crash').catch(() => {})
    await crashed
    const seen = await find(other, 'a')
    expect(seen).toMatchObject({ stored: 2 })
    expect(seen!.events.map(({ type }) => type)).toEqual(['turn/start', 'step/start', 'step/end', 'turn/end'])
    const loaded = await other.evaluate(async () => (await window.faults.store.load('a')).events)
    expect(loaded).toEqual(seen!.events)
  })

  test(`${engine.title}: a page back from the back/forward cache, with events that were not stored, goes on`, async () => {
    const context = await launch(engine, undefined, cached)
    const page = await openTab(context)
    await startTurn(page)
    await page.evaluate(appendChunks, 10)
    await page.goto(`${address()}?another`)
    await page.goBack({ waitUntil: 'commit' })
    // The same page, not a new one: a new one has opened nothing.
    expect(await page.evaluate(() => window.faults.session('a').seq)).toBe(12)
    await page.evaluate(appendChunks, 10)
    expect(await page.evaluate(() => window.faults.store.flush(window.faults.session('a')))).toBe(true)
    expect(await page.evaluate(() => window.faults.statuses)).toEqual([])
    expect((await find(await openTab(context), 'a'))!.stored).toBe(22)
  })
})
