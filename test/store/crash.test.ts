/** A page that dies at any step of anything it writes: the next one finds all of that or nothing, and no remains. */
import { describe, expect, test, vi } from 'vitest'
import { T0 } from '../log/support.js'
import { faultAt } from '../support/faults.js'
import { inBrowser, type Page } from '../support/page.js'
import { kept, prepared, seen, WRITES, type Act } from '../support/steps.js'
import { clock } from '../conformance/support.js'

const DAYS = 2 * 24 * 60 * 60 * 1000

interface Found {
  seen: object
  kept: Record<string, number>
}

/** What is found when nothing goes wrong, before and after. */
async function expected(act: Act): Promise<Found[]> {
  const opened = await prepared(act)
  const before = await found(opened)
  await act.act(opened)
  return [before, await found(opened)]
}

async function found(opened: Page): Promise<Found> {
  return { seen: await seen(opened), kept: await kept(opened) }
}

function die(page: Page): void {
  page.crash()
}

describe.skipIf(inBrowser)(
  'a page that dies at a step of (Node only: IndexedDB of the worker is at hand there)',
  () => {
    test.each(Object.entries(WRITES))('%s', { timeout: 60_000 }, async (_, act) => {
      clock(T0)
      const outcomes = await expected(act)
      for (let step = 1; ; step++) {
        vi.setSystemTime(T0)
        const opened = await prepared(act)
        const death = faultAt(step, 'dies')
        await act.act(opened).catch(() => {})
        die(opened)
        death.end()
        if (!death.happened) break
        // What is staged is nobody's after a day, where there are no Web Locks that tell.
        const atOnce = await seen(opened)
        vi.setSystemTime(T0 + DAYS)
        await seen(opened)
        await vi.waitFor(async () => expect(await kept(opened)).toMatchObject({ staging: 0 }))
        const afterwards = await found(opened)
        expect(outcomes.map((outcome) => outcome.seen)).toContainEqual(atOnce)
        expect(outcomes, `after a death at step ${step}`).toContainEqual({ ...afterwards, seen: atOnce })
      }
    })
  },
)
