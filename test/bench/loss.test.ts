/** With every test run, within a minute: what has become much slower shows, and a busy machine does not. */
import { expect, test } from 'vitest'
import { figure } from '../faults/site.js'
import { measureShort } from './measuring.js'
import { recordedRatios } from './report.js'
import { markdownOf } from './table.js'
import { isMet, shortSizes, targetsAt } from './targets.js'

const GROSS = 3

test(`no ratio misses its target and is ${GROSS} × worse than recorded (Chromium on LevelDB only)`, async () => {
  const { measures, ratios } = await measureShort()
  figure(`${markdownOf(measures)}\n`)
  const recorded = recordedRatios()
  for (const target of targetsAt(shortSizes)) {
    const [now, before] = [ratios[target.what], recorded[target.what]]
    if (now === undefined || before === undefined || target.isOfDisk || isMet(target, now)) continue
    const loss = target.least === undefined ? now / before : before / now
    expect.soft(loss, `${target.what}: ${now} ${target.unit}, recorded ${before}`).toBeLessThan(GROSS)
  }
})
