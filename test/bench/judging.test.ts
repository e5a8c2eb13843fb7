/** What the short form lets pass and what not. */
import { expect, test } from 'vitest'
import { lossesOf } from './loss.js'
import type { Target } from './target.js'
import { longSizes, shortSizes, targetsAt } from './targets.js'

const cost: Target = { id: 'cost', what: 'a cost', most: 100, unit: '×', noise: 2, of: () => undefined }
const gain: Target = { id: 'gain', what: 'a gain', least: 5, unit: '×', noise: 50, of: () => undefined }
const task: Target = { ...cost, id: 'task', unit: 'ms' }

test('a cost that is more than three times what was recorded is a loss, though its target is met', () => {
  expect(lossesOf([cost], { cost: 31 }, { cost: 10 }, 0)).toEqual(['a cost (cost): 31 ×, recorded 10'])
  expect(lossesOf([cost], { cost: 30 }, { cost: 10 }, 0)).toEqual([])
})

test('a gain that is less than a third of what was recorded is a loss, though its target is met', () => {
  expect(lossesOf([gain], { gain: 33 }, { gain: 100 }, 0)).toEqual(['a gain (gain): 33 ×, recorded 100'])
  expect(lossesOf([gain], { gain: 34 }, { gain: 100 }, 0)).toEqual([])
})

test('what is as good as the noise is no loss', () => {
  expect(lossesOf([cost, gain], { cost: 2, gain: 50 }, { cost: 0.1, gain: 1000 }, 0)).toEqual([])
})

test('a task may be longer by what an idle page sees, and nothing else may', () => {
  expect(lossesOf([task], { task: 12 }, { task: 1 }, 10)).toEqual([])
  expect(lossesOf([cost], { cost: 12 }, { cost: 1 }, 10)).toHaveLength(1)
})

test('what is no number is a loss', () => {
  expect(lossesOf([cost], { cost: NaN }, { cost: 1 }, 0)).toHaveLength(1)
})

test('a target that is measured and not recorded is wrong, and so is one that is recorded and not measured', () => {
  expect(lossesOf([cost], { cost: 1 }, {}, 0)).toEqual([expect.stringContaining('cost: measured, and not recorded')])
  expect(lossesOf([cost], {}, { cost: 1 }, 0)).toEqual(['cost: recorded, and no longer measured'])
  expect(lossesOf([cost], {}, {}, 0)).toEqual([])
})

test('a record whose target is gone is wrong', () => {
  expect(lossesOf([], {}, { cost: 1 }, 0)).toEqual([expect.stringContaining('cost: recorded, and there is no such')])
})

test('targets have the same ids at all sizes, each once', () => {
  const ids = targetsAt(longSizes).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(targetsAt(shortSizes).map(({ id }) => id)).toEqual(ids)
})
