/** Whole plans, measured in one browser. */
import { lanes, type Lane } from './engines.js'
import type { Name } from './field.js'
import type { Measure } from './measure.js'
import { shortPlan, type Call } from './plan.js'
import type { Ratios } from './report.js'
import { finder, shortSizes, targetsAt } from './targets.js'

const ROUNDS = 5
/** Those that the short form holds this library against. */
const PEERS: Name[] = ['library', 'raw', 'dexie']

export async function measureAll(lane: Lane, plan: readonly Call[], names: readonly Name[]): Promise<Measure[]> {
  const measures: Measure[] = []
  await lane.run(async (measure) => {
    for (const call of plan) {
      console.info(`${lane.title}: ${call.join(' ')}`)
      measures.push(...(await measure(call, { rounds: ROUNDS, names })))
    }
  })
  return measures
}

export async function measureShort(): Promise<{ measures: Measure[]; ratios: Ratios }> {
  const measures = await measureAll(lanes[0]!, shortPlan, PEERS)
  // The fastest of each: other things on a busy machine only ever add to it, and there are few rounds.
  const find = finder(measures, 'min')
  const pairs = targetsAt(shortSizes).map(({ what, of }) => [what, of(find)] as const)
  return {
    measures,
    ratios: Object.fromEntries(pairs.filter((pair): pair is [string, number] => pair[1] !== undefined)),
  }
}
