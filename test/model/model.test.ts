// Before everything that looks for locks: without them a store that is new asks other tabs, and waits, before it deletes.
import '../support/fake-locks.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inBrowser } from '../support/page.js'
import { run } from './commands.js'
import { sequences } from './operations.js'
import { seed } from './seed.js'

const rules = fc.constantFrom('rfc' as const, 'harness' as const)
const [numRuns, maxLength] = inBrowser ? [100, 30] : [1000, 40]
const largeRuns = inBrowser ? 12 : 40

test(`sessions are what a copying model says: ${numRuns} random sequences`, { timeout: 300_000 }, async () => {
  const reached = { sessions: 0, events: 0, generations: 0, segments: 0, cut: 0, faults: 0 }
  const property = fc.asyncProperty(rules, sequences(maxLength), async (rules, operations) => {
    const it = await run(rules, operations)
    for (const key of Object.keys(reached) as (keyof typeof reached)[]) {
      reached[key] = Math.max(reached[key], it.reached[key])
    }
  })
  await fc.assert(property, { seed, numRuns })
  console.info(`model: seed ${seed}, ${numRuns} sequences; at most ${JSON.stringify(reached)}`)
  // Without depth it proves little.
  expect(reached.generations).toBeGreaterThan(16)
  expect(reached.cut).toBeGreaterThan(0)
})

test(`so are logs of several MB: ${largeRuns} random sequences`, { timeout: 300_000 }, async () => {
  const property = fc.asyncProperty(rules, sequences(12), (rules, operations) =>
    run(rules, [{ op: 'create', seed: 'large' }, ...operations]).then(() => {}),
  )
  await fc.assert(property, { seed, numRuns: largeRuns })
})
