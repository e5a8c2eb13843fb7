/** Two tabs that both write: whatever one of them was given back from an append is there, once. */
import { expect, test } from 'vitest'
import { seed } from '../faults/random.js'
import { inEach } from './browser.js'
import { figure, times } from './site.js'
import { expectConverged, expectNothingLost, SMALL } from './stored.js'

const APPENDS = times(600, 10_000)

inEach((browser) => {
  test.each([1, 20])(`${APPENDS} appends by two tabs to %i`, { timeout: times(120_000, 1_800_000) }, async (count) => {
    const ids = Array.from({ length: count }, (_, i) => `s${i}`)
    const pages = [...(await browser.two()), await browser.open()]
    const [first, second, third] = pages as [(typeof pages)[0], (typeof pages)[0], (typeof pages)[0]]
    await first.evaluate(async (ids) => {
      for (const id of ids) await window.tab.store.release(await window.tab.store.create(id, { seed: [] }))
    }, ids)
    await third.evaluate((ids) => window.tab.follow(...ids), ids)
    await Promise.all(
      [first, second].map((page, i) =>
        page.evaluate(([ids, plan, count]) => window.tab.write(ids, plan, count), [
          ids,
          { seed: seed + i, ...SMALL },
          APPENDS / 2,
        ] as const),
      ),
    )

    const { events, saved } = await expectNothingLost([first, second])
    expect(events).toBe(APPENDS)
    // Whoever has it last closes what was cut off.
    for (const id of ids) {
      await second.evaluate((id) => window.tab.take(id), id)
      await expectConverged(second, [third], id)
    }
    const counts = await Promise.all(
      pages.map((page) =>
        page.evaluate(() => ({ overtaken: window.tab.overtaken, refused: window.tab.refusals.length })),
      ),
    )
    const sum = (of: (each: (typeof counts)[0]) => number): number => counts.reduce((sum, each) => sum + of(each), 0)
    figure(
      `${browser.engine.title}: ${events} appends by two tabs to ${count} of a session: 0 lost, 0 doubled; overtaken ` +
        `${sum(({ overtaken }) => overtaken)} times in mid-turn, refused ${sum(({ refused }) => refused)} times, ` +
        `${saved} conflicts saved as forks (FC_SEED=${seed})`,
    )
  })
})
