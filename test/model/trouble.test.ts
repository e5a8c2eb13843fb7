/** Faults inside and between the steps of random sequences. `npm run test:model` tries ten thousand. */
// Before everything that looks for locks: without them a store that is new asks other tabs, and waits, before it deletes.
import '../support/fake-locks.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inBrowser } from '../support/page.js'
import { runsOf } from '../support/mutants.js'
import { run } from './commands.js'
import { faultySequences } from './operations.js'
import { seed } from './seed.js'
import { runTroubled } from './trouble.js'
import { troubledSequences } from './troubled-operations.js'

const numRuns = runsOf('FC_SEQUENCES', 150)

const rules = fc.constantFrom('rfc' as const, 'harness' as const)

describe.skipIf(inBrowser)(
  'with faults that nobody may notice (Node only: IndexedDB of the worker is at hand there)',
  () => {
    test(
      `sessions are what a copying model says: ${numRuns} random sequences`,
      async () => {
        let faults = 0
        const property = fc.asyncProperty(rules, faultySequences(30), async (rules, operations) => {
          faults += (await run(rules, operations)).reached.faults
        })
        await fc.assert(property, { seed, numRuns })
        console.info(
          `faults: seed ${seed}, ${numRuns} sequences; ${faults} connections closed or transactions given up`,
        )
        expect(faults).toBeGreaterThan(numRuns / 2)
      },
      60_000 + numRuns * 2000,
    )
  },
)

describe.skipIf(inBrowser)('with faults (Node only: a browser tells of a dead worker after seconds)', () => {
  test(
    `no event that was acknowledged is lost, none is there twice: ${numRuns} random sequences`,
    async () => {
      const met = { troubles: 0, failed: 0, unsent: 0 }
      const property = fc.asyncProperty(troubledSequences(24), async (operations) => {
        const run = await runTroubled(operations)
        for (const key of Object.keys(met) as (keyof typeof met)[]) met[key] += run.met[key]
      })
      await fc.assert(property, { seed, numRuns })
      console.info(`trouble: seed ${seed}, ${numRuns} sequences; ${JSON.stringify(met)}`)
      // Without trouble it proves little.
      expect(met.troubles).toBeGreaterThan(numRuns / 2)
      expect(met.failed).toBeGreaterThan(0)
    },
    60_000 + numRuns * 2000,
  )
})
