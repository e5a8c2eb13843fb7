/** With every test run, within a minute: what has become much slower shows, and a busy machine does not. */
import { expect, test } from 'vitest'
import { figure } from '../faults/site.js'
import { GROSS, lossesOf } from './loss.js'
import { measureShort } from './measuring.js'
import { recordedRatios } from './report.js'
import { markdownOf } from './table.js'
import { shortSizes, targetsAt } from './targets.js'

test(`no ratio is ${GROSS} × worse than recorded (Chromium on LevelDB only)`, async () => {
  const { measures, ratios, idle } = await measureShort()
  figure(`${markdownOf(measures)}\n`)
  expect(lossesOf(targetsAt(shortSizes), ratios, recordedRatios(), idle)).toEqual([])
})
