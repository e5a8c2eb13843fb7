import { describe, expect, test } from 'vitest'
import { forkTitle, titleOf } from '../../demo/sessions/titles'

describe('a name', () => {
  test('is one line', () => {
    expect(titleOf({ title: ' One\nTwo\t three ' })).toBe('One Two three')
  })

  test.each([undefined, '', ' \n'])('is there without a title too: %j', (title) => {
    expect(titleOf(title === undefined ? {} : { title })).toBe('Untitled')
  })

  test('is no longer than a sentence about it can hold', () => {
    expect(titleOf({ title: 'x'.repeat(1000) })).toBe(`${'x'.repeat(119)}…`)
  })
})

describe('the name of a fork', () => {
  test('keeps its number, however long its parent’s is', () => {
    const parent = titleOf({ title: 'x'.repeat(1000) })
    const first = titleOf({ title: forkTitle(parent, new Set([parent])) })
    const second = titleOf({ title: forkTitle(first, new Set([parent, first])) })
    expect(first).toMatch(/^x+… \(1\)$/)
    expect(second).toMatch(/^x+… \(2\)$/)
  })
})
