/** Damaged files, as many as one likes: `npm run test:fuzz` tries a million. */
import { packChunkRuns } from 'idb-sessions/log'
import { expect, test } from 'vitest'
import { LogProblem } from '../../lib/log/intake.js'
import { fuzz } from '../support/fuzzing.js'
import { used } from '../support/growth.js'
import { linesOf, runsOf } from '../support/mutants.js'
import { eventsOf, fileOf, read } from './support.js'

const runs = runsOf('FC_LOGS', 4000)
/** A reading that takes longer hangs, however slow the machine, ms. */
const HANG = 5000
const MAX_GROWTH = 32 * 1024 * 1024

/** The number of the line that is named; 0: the file is read. Throws when something else comes of it. */
function refusalOf(bytes: Uint8Array): number {
  let intake
  try {
    intake = read(bytes)
  } catch (error) {
    if (!(error instanceof LogProblem) || error.message === '') throw error
    if (!(error.line >= 1 && error.line <= linesOf(bytes)))
      throw new Error(`there is no line ${error.line}`, { cause: error })
    return error.line
  }
  const events = eventsOf(intake)
  // What is read can be written and read again.
  const again = read(fileOf(packChunkRuns(events)))
  if (again.dropped !== undefined || JSON.stringify(eventsOf(again)) !== JSON.stringify(events)) {
    throw new Error('what was read is not what is read of it')
  }
  return 0
}

test(
  `${runs} damaged files: each is read, or refused with the number of a line`,
  { timeout: 60_000 + runs * 5 },
  async () => {
    const isTaken = (bytes: Uint8Array): boolean => refusalOf(bytes) === 0
    const { slowest, growth } = await fuzz({ what: 'the codec', runs, isTaken, used })
    expect(slowest).toBeLessThan(HANG)
    expect(growth).toBeLessThan(MAX_GROWTH)
  },
)
