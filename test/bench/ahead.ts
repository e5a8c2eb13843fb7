/** Where others are ahead of this library, and why: gathered from the tables, so that nobody has to look for it. */
import { reasonFor } from './reasons.js'
import { rows, number, type Results } from './table.js'
import { IDLE, LIBRARY } from './target.js'

/** Less is not told apart. */
const MARGIN = 1.1

export interface Lead {
  work: string
  by: string
  /** By engine: where it is ahead most. */
  most: Map<string, { size?: number; theirs: number; ours: number; unit: string }>
}

/** By work and contestant, in the order of the tables; of sizes, the one with the largest lead in each engine. */
export function leadsOf(results: Results): Lead[] {
  const leads = new Map<string, Lead>()
  for (const [engine, measures] of Object.entries(results)) {
    for (const { work, by, size, median: theirs, unit } of measures) {
      if (by === LIBRARY || by === IDLE) continue
      const ours = measures.find((m) => m.work === work && m.by === LIBRARY && m.size === size)?.median
      if (ours === undefined || ours <= theirs * MARGIN) continue
      const key = `${work}\n${by}`
      const lead = leads.get(key) ?? { work, by, most: new Map() }
      leads.set(key, lead)
      const before = lead.most.get(engine)
      if (before !== undefined && before.ours * theirs >= ours * before.theirs) continue
      lead.most.set(engine, { theirs, ours, unit, ...(size !== undefined && { size }) })
    }
  }
  return [...leads.values()]
}

export function leadTable(results: Results): string {
  const engines = Object.keys(results)
  return rows([
    ['work', 'who', ...engines, 'why'],
    ...leadsOf(results).map(({ work, by, most }) => [
      work,
      by,
      ...engines.map((engine) => {
        const lead = most.get(engine)
        if (lead === undefined) return ''
        const at = lead.size === undefined ? '' : ` at ${number(lead.size)}`
        return `${number(lead.theirs)} against ${number(lead.ours)} ${lead.unit}${at}`
      }),
      reasonFor(work, by) ?? '**no reason known**',
    ]),
  ])
}

/** For those who read no tables. */
export function leadSentence(results: Results): string {
  const leads = leadsOf(results)
  const names = [...new Set(leads.map(({ by }) => by))]
  const counts = names.map((name) => {
    const works = leads.filter(({ by }) => by === name)
    return `${name} at ${works.length} ${works.length === 1 ? 'work' : 'works'}`
  })
  if (counts.length === 0) return 'Nobody is ahead at any work.'
  return `Others are ahead, in some engine and at some size: ${counts.join(', ')}. [Each of them, and why](test/bench/RESULTS.md#where-others-are-ahead).`
}
