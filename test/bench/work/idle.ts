/** What the machine alone does to a page. A task of ours that is no longer than this may be none of ours. */
import type { Extent } from '../field.js'
import { compare, longestTask, type Measure } from '../measure.js'
import { IDLE, LONGEST_TASK } from '../target.js'

/** A page that waits, `ms` at a time. */
export function idle({ rounds }: Extent, ms: number): Promise<Measure[]> {
  const run = (): Promise<number> => longestTask(() => new Promise((resolve) => setTimeout(resolve, ms)))
  return compare([{ by: IDLE, run }], { work: LONGEST_TASK, rounds: 2 * rounds })
}
