/**
 * What the published DSH packages answered, operation by operation, against this library. A plain error there is a
 * `SessionStoreError` here ("Everything else that is not a plain programming error is a `SessionStoreError`"), and the
 * vector names its code. Where this library differs on purpose, the vector names the sentence that says so (`differs.test.ts`).
 */
import { deleteDB } from 'idb'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Operation, Result } from './connect.mjs'
import { Library } from './library.js'
import { T0 } from './values.mjs'
import vectors from './vectors.json'

interface Vector {
  subject: string
  name: string
  /** The code of a plain refusal here. */
  refusal: string
  steps: { op: Operation; dsh: Result; differs?: { because: string; gives: Result } }[]
}

const all = vectors as unknown as Vector[]

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterAll(() => {
  vi.useRealTimers()
})

test('there are 300 operations', () => {
  expect(all.flatMap(({ steps }) => steps).length).toBeGreaterThan(300)
})

for (const subject of new Set(all.map((vector) => vector.subject))) {
  describe(`${subject}, as DSH has it`, () => {
    test.each(all.filter((vector) => vector.subject === subject))('$name', async ({ steps, refusal }) => {
      vi.setSystemTime(T0)
      const library = await Library.open()
      try {
        for (const { op, dsh, differs } of steps) {
          const result = await library.perform(op)
          // As text: the order of keys is part of the format.
          const expected = differs?.gives ?? here(op, dsh, refusal)
          expect(JSON.stringify([op, result])).toBe(JSON.stringify([op, expected]))
        }
      } finally {
        await library.close()
        await deleteDB(library.name)
      }
    })
  })
}

const PURE = ['isJson', 'snapshot', 'closers', 'foldSurface', 'derive', 'pack', 'decode']

/** An answer of DSH as this library gives it. */
function here({ do: name }: Operation, dsh: Result, refusal: string): Result {
  if ('value' in dsh || dsh.error.name === 'SessionForkError' || PURE.includes(name)) return dsh
  const code = dsh.error.name === 'SessionFormatUnsupportedError' ? 'FORMAT_UNSUPPORTED' : refusal
  return { error: { name: 'SessionStoreError', code } }
}
