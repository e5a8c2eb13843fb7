/** Which leads of others are told, and with what reason. */
import { expect, test } from 'vitest'
import { leadSentence, leadsOf, leadTable } from './ahead.js'
import { measureOf, type Measure } from './measure.js'
import { LIBRARY } from './target.js'

const took = (work: string, by: string, value: number, size?: number): Measure => {
  return measureOf({ work, by, unit: 'ms', ...(size !== undefined && { size }) }, [value])
}

test('whoever takes less is ahead, unless it is less by no more than a tenth', () => {
  const results = { e: [took('w', LIBRARY, 11), took('w', 'Ann', 9), took('w', 'Bob', 10), took('w', 'Cyd', 12)] }
  expect(leadsOf(results).map(({ by }) => by)).toEqual(['Ann'])
})

test('what takes no time that a clock could tell is ahead', () => {
  expect(leadsOf({ e: [took('w', LIBRARY, 1), took('w', 'Ann', 0)] })).toHaveLength(1)
})

test('of several sizes, the one with the largest lead is told', () => {
  const ours = [took('w', LIBRARY, 4, 10), took('w', LIBRARY, 9, 100)]
  const theirs = [took('w', 'Ann', 3, 10), took('w', 'Ann', 3, 100)]
  const [lead] = leadsOf({ e: [...ours, ...theirs] })
  expect(lead!.most.get('e')!.size).toBe(100)
})

test('a lead without a reason is told as such', () => {
  expect(leadTable({ e: [took('import', LIBRARY, 2), took('import', 'Ann', 1)] })).toContain('a file is parsed')
  expect(leadTable({ e: [took('w', LIBRARY, 2), took('w', 'Ann', 1)] })).toContain('**no reason known**')
})

test('a sentence tells who is ahead at how many works', () => {
  expect(leadSentence({ e: [took('w', LIBRARY, 2), took('w', 'Ann', 1)] })).toContain('Ann at 1 work.')
  expect(leadSentence({ e: [took('w', LIBRARY, 1), took('w', 'Ann', 2)] })).toBe('Nobody is ahead at any work.')
})
