/** A session is deleted in one tab while another does something with it. */
import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { levelDB } from '../faults/browser.js'
import { randomFrom, seed } from '../faults/random.js'
import { inEach } from './browser.js'
import { figure, times } from './site.js'
import { expectNothingLost, SMALL, stored } from './stored.js'

const plan = { seed, ...SMALL }
const ROUNDS = times(10, 100)

/** A session of a few turns, live in this tab. */
async function create(page: Page, id: string): Promise<string> {
  return page.evaluate(
    async ([id, plan]) => {
      const session = await window.tab.store.create(id)
      window.tab.append(id, plan, 3)
      await window.tab.store.flush(session)
      return window.tab.see(id).events
    },
    [id, plan] as const,
  )
}

inEach(
  (browser) => {
    test('one that is live elsewhere stays, and goes on', async () => {
      const [first, second] = await browser.two()
      await create(first, 'a')
      await create(second, 'b')
      const outcomes = await second.evaluate(() => window.tab.store.delete(['a', 'b', 'c']))
      expect(outcomes).toEqual([
        { id: 'a', outcome: 'locked' },
        { id: 'b', outcome: 'deleted' },
        { id: 'c', outcome: 'missing' },
      ])
      await first.evaluate(() => window.tab.appendChunks('a', 'still here', 5))
      await expectNothingLost([first])
    })

    test('one that is followed ends there, and is kept as it was, also when its id comes back', async () => {
      const [first, second] = await browser.two()
      const events = await create(first, 'a')
      await second.evaluate(() => window.tab.follow('a'))
      await first.evaluate(() => window.tab.store.delete('a'))
      await create(first, 'a')
      await second.waitForFunction(() => window.tab.view('a').state === 'deleted')
      expect((await second.evaluate(() => window.tab.see('a'))).events).toBe(events)
    })

    test(
      `deleted while it is forked or imported elsewhere, ${ROUNDS} times: all or nothing`,
      { timeout: 600_000 },
      async () => {
        const random = randomFrom(seed)
        const [first, second] = await browser.two()
        const counts = { forked: 0, imported: 0 }
        for (let n = 0; n < ROUNDS; n++) {
          const events = await create(first, 'a')
          const file = await first.evaluate(async () => {
            const file = await new Response(await window.tab.store.exportLog('a')).text()
            await window.tab.store.release(window.tab.session('a'))
            return file
          })
          const wait = random() * 15
          const [forked, imported] = await Promise.all([
            second.evaluate(() => window.tab.code(window.tab.store.fork('a', undefined, 'b'))),
            second.evaluate((file) => window.tab.code(window.tab.store.importLog(file)), file),
            first.evaluate((wait) => window.tab.pause(wait).then(() => window.tab.store.delete('a')), wait),
          ])
          expect([undefined, 'SESSION_NOT_FOUND']).toContain(forked)
          expect([undefined, 'SESSION_ALREADY_EXISTS']).toContain(imported)
          counts.forked += forked === undefined ? 1 : 0
          counts.imported += imported === undefined ? 1 : 0
          const [a, b] = [await stored(first, 'a'), await stored(first, 'b')]
          expect(b === undefined ? undefined : JSON.stringify(b)).toBe(forked === undefined ? events : undefined)
          // What is imported is whole; what was refused is not there.
          expect([undefined, events]).toContain(a === undefined ? undefined : JSON.stringify(a))
          expect(imported !== undefined && a !== undefined).toBe(false)
          await second.evaluate(() => window.tab.store.delete(['a', 'b']))
          expect(await second.evaluate(() => window.tab.records())).toEqual({
            sessions: 0,
            lineages: 0,
            segments: 0,
            staging: 0,
          })
        }
        figure(
          `${browser.engine.title}: deleted ${ROUNDS} times while it was forked (${counts.forked} were in time) and imported ` +
            `(${counts.imported}): all or nothing each time, nothing left over (FC_SEED=${seed})`,
        )
      },
    )

    test('deleted and made anew while a tab that could not answer holds the old one: its late writes reach nothing', async () => {
      const [stale, other] = await browser.two()
      await create(stale, 'a')
      await stale.evaluate(() => {
        window.tab.holdBack()
        window.tab.appendChunks('a', 'late', 10)
      })
      const own = await stale.evaluate(() => window.tab.see('a').events)
      const letGo = await browser.makeBusy(stale)
      await other.evaluate(async () => {
        await window.tab.store.load('a', { takeOver: true })
        await window.tab.store.delete('a')
      })
      const anew = await create(other, 'a')
      await letGo()
      await stale.evaluate(() => window.tab.letThrough())
      await stale.waitForFunction(() => /conflict|deleted/.test(window.tab.session('a').state))
      expect(
        await stale.evaluate(() => window.tab.code(Promise.resolve().then(() => window.tab.appendChunks('a', 'x', 1)))),
      ).toMatch(/^SESSION_/)
      await stale.evaluate(() => window.tab.session('a').saveAsFork('saved'))
      expect((await stale.evaluate(() => window.tab.see('saved'))).events).toBe(own)
      expect(await stale.evaluate(() => window.tab.session('saved').header.seedLength)).toBe(0)
      await stale.evaluate(() => window.tab.store.flush(window.tab.session('saved')))
      expect(JSON.stringify(await stored(other, 'saved'))).toBe(own)
      expect(JSON.stringify(await stored(other, 'a'))).toBe(anew)
    })
  },
  { short: [levelDB] },
)
