// Before everything that looks for locks.
import '../support/fake-locks.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { engine, inBrowser } from '../support/engine.js'
import { runsOf } from '../support/mutants.js'
import { seed } from './seed.js'
import { sequences } from './two-tabs-operations.js'
import { run, type Reached } from './two-tabs.js'

/** `npm run test:model` is the long form. */
const numRuns = runsOf('FC_SEQUENCES', inBrowser ? 15 : 60)

// WebKit keeps connections of workers that were terminated, and a database that has such a one is never deleted.
test.skipIf(engine === 'webkit')(
  `two tabs see what one plain model says: ${numRuns} random sequences (not in WebKit: it keeps what crashed tabs had open)`,
  { timeout: 7_200_000 },
  async () => {
    const reached: Reached = { overtaken: 0, robbed: 0, unsent: 0, saved: 0, events: 0 }
    const property = fc.asyncProperty(sequences, async (operations) => {
      const it = await run([{ op: 'create', tab: 0, at: 0 }, ...operations])
      for (const key of Object.keys(reached) as (keyof Reached)[]) reached[key] += it[key]
    })
    await fc.assert(property, { seed, numRuns })
    console.info(`two tabs: seed ${seed}, ${numRuns} sequences: ${JSON.stringify(reached)}`)
    // Without these it proves little. A few sequences may lack what is rare.
    const { overtaken, robbed, unsent, saved } = reached
    expect(Math.min(overtaken, robbed, ...(numRuns < 60 ? [] : [unsent, saved]))).toBeGreaterThan(0)
  },
)
