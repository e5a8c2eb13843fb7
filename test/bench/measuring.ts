/** Whole plans, measured in one browser. */
import { lanes, type Lane } from './engines.js'
import type { Name } from './field.js'
import type { Ratios } from './loss.js'
import type { Measure } from './measure.js'
import { shortPlan, type Call } from './plan.js'
import { finder, IDLE, LONGEST_TASK } from './target.js'
import { shortSizes, targetsAt } from './targets.js'

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

export async function measureShort(): Promise<{ measures: Measure[]; ratios: Ratios; idle: number }> {
  const measures = await measureAll(lanes[0]!, shortPlan, PEERS)
  const find = finder(measures)
  const pairs = targetsAt(shortSizes).map(({ id, of }) => [id, of(find)] as const)
  return {
    measures,
    ratios: Object.fromEntries(pairs.filter((pair): pair is [string, number] => pair[1] !== undefined)),
    idle: find(LONGEST_TASK, IDLE, undefined, 'max')!,
  }
}
