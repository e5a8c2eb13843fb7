/** What faults cost: events that were safe and are not there afterwards, and events that are there twice. */
import { expectedOf, textOf, type Found, type Life } from './ledger.js'

export interface Cost {
  lost: number
  doubled: number
}

export const NOTHING: Cost = { lost: 0, doubled: 0 }

/** The sum of all faults of a kind. */
export class Toll {
  /** Events that were safe when a fault happened, those that a session began with not counted. */
  safe = 0
  lost = 0
  doubled = 0

  /** Adds a session of which the first `safe` events had to outlive a fault, and what it has cost there. */
  count(life: Life, found: Found | undefined, safe: number): Cost {
    this.safe += Math.max(0, safe - life.base.length)
    return this.countAgain(life, found, safe)
  }

  /** The same for a session whose events have been counted as safe before. */
  countAgain(life: Life, found: Found | undefined, safe: number): Cost {
    const cost = costOf(life, found, safe)
    this.lost += cost.lost
    this.doubled += cost.doubled
    return cost
  }
}

/** No two events of a session are alike, so each is found by what it holds, wherever it stands. */
function costOf(life: Life, found: Found | undefined, safe: number): Cost {
  const log = (found?.events ?? []).slice(0, found?.stored).map(textOf)
  const there = new Set(log)
  const lost = expectedOf(life, safe).filter((event) => !there.has(textOf(event))).length
  return { lost, doubled: log.length - there.size }
}
