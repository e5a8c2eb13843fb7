/** Times of several contestants at the same work, taken in turn. */

/** What one contestant needed for one work. */
export interface Measure {
  work: string
  by: string
  /** What the work grows with, where it was measured at several sizes. */
  size?: number
  unit: 'ms' | 'µs' | '%' | 'MB' | 'kB' | 'B'
  median: number
  mean: number
  min: number
  max: number
  /** How many were measured. */
  count: number
}

export interface Runner {
  by: string
  /** Does the work once; resolves to what it took. `round` tells repetitions apart, and is -1 for the warm-up. */
  run: (round: number) => Promise<number>
}

export interface Comparison {
  work: string
  size?: number
  unit?: Measure['unit']
  rounds: number
  /** What one contestant may take in all until it is not asked again, ms; default: `PATIENCE`. */
  patience?: number
}

/** Copying 100,000 rows can take half a minute; the figure is the same in the first round and in the fifth. */
const PATIENCE = 8000

/**
 * The order is turned round each time, so that a machine that gets slower or faster favours nobody. The first round warms
 * up, and counts for those only that are not asked again.
 */
export async function compare(
  runners: readonly Runner[],
  { work, size, unit = 'ms', rounds, patience = PATIENCE }: Comparison,
): Promise<Measure[]> {
  const field = runners.map((runner) => ({ ...runner, spent: 0, values: [] as number[] }))
  for (let round = -1; round < rounds; round++) {
    for (const runner of round % 2 === 0 ? field : field.toReversed()) {
      if (runner.spent > patience) continue
      const start = performance.now()
      const value = await runner.run(round)
      runner.spent += performance.now() - start
      if (round >= 0 || runner.spent > patience) runner.values.push(value)
    }
  }
  return field.map(({ by, values }) => measureOf({ work, by, unit, ...(size !== undefined && { size }) }, values))
}

export function measureOf(what: Pick<Measure, 'work' | 'by' | 'unit' | 'size'>, values: readonly number[]): Measure {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return { ...what, median, mean, min: sorted[0]!, max: sorted.at(-1)!, count: values.length }
}

/** Whoever was given the same has to answer the same: one that does less is no faster. */
export function agree(work: string, answers: Iterable<number>): void {
  const different = [...new Set(answers)]
  if (different.length > 1) throw new Error(`${work}: they answer ${different.join(', ')}`)
}

/** ms */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** How often a timer of the main thread looks whether it was kept waiting, ms. */
const TICK = 4

/**
 * The longest time in which the main thread did nothing else while `work` ran, ms: how late a timer came. (Long tasks are
 * reported by Chromium only, and from 50 ms on.)
 */
export async function longestTask(work: () => unknown): Promise<number> {
  let longest = 0
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - TICK)
    last = now
  }, TICK)
  try {
    await work()
    // What the work's last task kept waiting.
    await new Promise((resolve) => setTimeout(resolve, TICK))
  } finally {
    clearInterval(timer)
  }
  return longest
}
