/** Damaged files, one after another, and what they cost. */
import { seed } from '../model/seed.js'
import { mutantsOf, onlyAt } from './mutants.js'

interface Fuzzed {
  /** Of what, for the line that is printed. */
  what: string
  runs: number
  /** Whether a damaged file is taken; false: refused as it should be. Throws when something else comes of it. */
  isTaken: (bytes: Uint8Array) => boolean | Promise<boolean>
  /** Bytes in use. */
  used: () => number
}

/** How long the slowest file took, ms, and how many bytes more are in use than after the first tenth. */
export async function fuzz({ what, runs, isTaken, used }: Fuzzed): Promise<{ slowest: number; growth: number }> {
  const mutant = mutantsOf(seed)
  const figures = { taken: 0, refused: 0, slowest: 0 }
  let before = Infinity
  const [first, last] = onlyAt === undefined ? [0, runs] : [onlyAt, onlyAt + 1]
  for (let index = first; index < last; index++) {
    const bytes = mutant(index)
    const since = performance.now()
    try {
      figures[(await isTaken(bytes)) ? 'taken' : 'refused']++
    } catch (cause) {
      throw new Error(`file ${index} of seed ${seed}: FC_SEED=${seed} FC_AT=${index} repeats it`, { cause })
    }
    figures.slowest = Math.max(figures.slowest, performance.now() - since)
    if (index === Math.floor(last / 10)) before = used()
    // The test runner wants to hear from its tests.
    if (index % 1000 === 0) await new Promise((resolve) => setTimeout(resolve))
  }
  const growth = used() - before
  console.info(
    `fuzz of ${what}: seed ${seed}, ${figures.taken} of ${last - first} taken, ${figures.refused} refused; ` +
      `the slowest took ${figures.slowest.toFixed(0)} ms; ${(growth / 1024 / 1024).toFixed(1)} MiB more in use`,
  )
  return { slowest: figures.slowest, growth }
}
