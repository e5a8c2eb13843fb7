/** Random sequences of operations on the published DSH packages and on this library, side by side. */
import fc from 'fast-check'
import { deleteDB } from 'idb'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { missing, Oracle, type Operation, type Result } from './connect.mjs'
import { seed } from '../model/seed.js'
import { Library } from './library.js'
import { sequences } from './sequences.js'
import { T0 } from './values.mjs'

const SEQUENCES = 2000

let oracle: Oracle

beforeAll(() => {
  if (missing === undefined) oracle = new Oracle()
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterAll(() => {
  vi.useRealTimers()
  oracle?.close()
})

const name = `DSH and this library say the same: ${SEQUENCES} random sequences`
const reason = missing === undefined ? '' : ` (skipped, ${missing})`
test.skipIf(missing !== undefined)(`${name}${reason}`, { timeout: 300_000 }, async () => {
  const reached: Record<string, number> = {}
  const property = fc.asyncProperty(sequences, async (operations) => {
    const theirs = await oracle.ask([{ do: 'reset' }, { do: 'clock', now: T0 }, ...operations])
    const ours = await perform(operations)
    operations.forEach((operation, i) => expectAgreement(operation, ours[i]!, theirs[i + 2]!))
    operations.forEach(({ do: name }, i) => {
      const key = 'error' in ours[i]! ? `${name} refused` : name
      reached[key] = (reached[key] ?? 0) + 1
    })
  })
  await fc.assert(property, { seed, numRuns: SEQUENCES })
  console.info(`agreement: seed ${seed}, ${JSON.stringify(reached)}`)
  // Without these it proves little.
  const needed = ['create', 'append', 'fork', 'reload', 'create refused', 'append refused', 'fork refused']
  expect(needed.filter((name) => (reached[name] ?? 0) < SEQUENCES / 10)).toEqual([])
})

async function perform(operations: readonly Operation[]): Promise<Result[]> {
  vi.setSystemTime(T0)
  const library = await Library.open()
  try {
    const results: Result[] = []
    for (const operation of operations) results.push(await library.perform(operation))
    return results
  } finally {
    await library.close()
    await deleteDB(library.name)
  }
}

function expectAgreement(operation: Operation, ours: Result, theirs: Result): void {
  // A plain error there has a code of its own here; the vectors say which.
  const isPlain = 'error' in theirs && theirs.error.name !== 'SessionForkError'
  if (isPlain && 'error' in ours && ours.error.name !== 'SessionForkError') return
  expect(JSON.stringify([operation, ours])).toBe(JSON.stringify([operation, theirs]))
}
