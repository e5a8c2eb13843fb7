/** A session that is taken by force from a tab which has more of it than is stored. */
import type { Page } from 'playwright'
import { expect } from 'vitest'
import { seed } from '../faults/random.js'
import { expectConverged, SMALL, stored } from './stored.js'

export const plan = { seed, ...SMALL }

/** The tab has 'a' live, with a turn that its worker has not got, though the page thinks that it is on its way. */
export async function hold(page: Page): Promise<void> {
  await page.evaluate(async (plan) => {
    const { tab } = window
    await tab.store.create('a')
    tab.append('a', plan, 2)
    await tab.store.flush(tab.session('a'))
    tab.holdBack()
    tab.append('a', plan, 1)
  }, plan)
}

/** Another tab takes 'a' over by force and goes on with it. Answers its log then. */
export async function rob(page: Page): Promise<string> {
  return page.evaluate(async (plan) => {
    const { tab } = window
    await tab.store.load('a', { takeOver: true })
    tab.append('a', { ...plan, seed: plan.seed + 1 }, 3)
    await tab.store.flush(tab.session('a'))
    return tab.see('a').events
  }, plan)
}

/** The robbed tab gets over it: its late batch reaches the worker, changes nothing, and what it has can be kept. */
export async function expectRecovers(robbed: Page, other: Page, log: string): Promise<void> {
  await robbed.evaluate(() => window.tab.letThrough())
  await robbed.waitForFunction(() => window.tab.session('a').state === 'conflict')
  expect(JSON.stringify(await stored(other, 'a'))).toBe(log)
  const { own, saved, kept, durable, code } = await robbed.evaluate(async () => {
    const session = window.tab.session('a')
    const own = window.tab.see('a').events
    const code = await window.tab.code(Promise.resolve().then(() => window.tab.appendChunks('a', 'too late', 1)))
    const saved = await session.saveAsFork('saved')
    await window.tab.store.flush(saved)
    return { own, code, durable: session.durable, saved: window.tab.see('saved').events, kept: saved.header.seedLength }
  })
  expect(code).toBe('SESSION_CONFLICT')
  expect(saved).toBe(own)
  expect(JSON.stringify(await stored(other, 'saved'))).toBe(own)
  // What both have is shared, what only one has is not.
  expect(kept).toBe(durable)
  expect(JSON.stringify(await stored(other, 'a'))).toBe(log)
  // The other may have it back.
  await robbed.evaluate(() => window.tab.take('a'))
  await other.evaluate(() => window.tab.follow('a'))
  await expectConverged(robbed, [other], 'a')
}
