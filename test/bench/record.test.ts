/** `npm run bench`: measures every engine and records what came out. One alone: `npm run bench -- -t Firefox`. */
import { expect, test } from 'vitest'
import { figure } from '../faults/site.js'
import { lanes } from './engines.js'
import { footprint } from './footprint.js'
import { measureAll, measureShort } from './measuring.js'
import { longPlan, targetPlan } from './plan.js'
import { record, recordRatios } from './report.js'
import { markdownOf } from './table.js'
import { longSizes, targetsAt } from './targets.js'
import { sizes } from './size.js'
import { finder } from './target.js'

test.for(lanes)('$title', async (lane, { skip }) => {
  const { title, isMissing, engine, names } = lane
  if (isMissing) skip(`${title} is not installed`)
  const isFirst = lane === lanes[0]
  const measures = await measureAll(lane, isFirst ? longPlan : targetPlan, names)
  const lasting = names.filter((name) => name !== 'dsh')
  if (isFirst && engine !== undefined) measures.push(...(await footprint(engine, lasting, longSizes.long)))
  if (isFirst) measures.push(...(await sizes()))
  figure(`${title}\n\n${markdownOf(measures)}\n`)
  record(title, measures)
  expect(measures.filter(({ median }) => !Number.isFinite(median))).toEqual([])
  // Else a work was renamed, and its target would be left empty in silence.
  const empty = isFirst ? targetsAt(longSizes).filter(({ of }) => of(finder(measures)) === undefined) : []
  expect(empty.map(({ id }) => id)).toEqual([])
})

test('the ratios that the short form is held against', async () => {
  const { ratios } = await measureShort()
  recordRatios(ratios)
  expect(Object.values(ratios).every(Number.isFinite)).toBe(true)
})
