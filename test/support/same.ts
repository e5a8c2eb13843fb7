/** Comparing logs: faster than `toEqual` on long ones, and strict about the order of keys. */
import { expect } from 'vitest'

export function expectSame(actual: readonly unknown[], expected: readonly unknown[]): void {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return
  expect(actual).toEqual(expected)
  // Equal, but for the order of keys.
  expect(actual.map((item) => JSON.stringify(item))).toEqual(expected.map((item) => JSON.stringify(item)))
}
