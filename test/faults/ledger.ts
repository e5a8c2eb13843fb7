/** What a page had been told by the time of a fault, and whether all of it is there afterwards. */
import type { SessionEvent } from 'idb-sessions'
import { interruptedTurnClosers } from 'idb-sessions/log'
import type { BrowserContext, Page } from 'playwright'
import { expect } from 'vitest'
import type { News } from './page/main.js'
import { planned, type Plan } from './plan.js'

/** What identifies an event in a log: not its time, which nobody can plan. */
type Logged = Pick<SessionEvent, 'type' | 'data'>

/** A session that was written when the fault happened. */
export interface Life {
  id: string
  /** What it began with. */
  base: readonly Logged[]
  /** What was appended after that. */
  plan: Plan
  /** Events that were stored, as the page was told. */
  durable: number
  /** Events that a flush had resolved for. */
  flushed: number
}

export class Ledger {
  readonly lives = new Map<string, Life>()
  /** How often the page was told of what is stored. */
  heard = 0
  /** How often records of a log had become fewer since they were looked at last. */
  merges = 0

  /** Hears the pages of a browser. */
  async listen(context: BrowserContext): Promise<void> {
    await context.exposeBinding('tell', (_source, news: News) => this.hear(news))
  }

  begin(id: string, base: readonly Logged[], plan: Plan): Life {
    const life = { id, base, plan, durable: 0, flushed: 0 }
    this.lives.set(id, life)
    return life
  }

  hear(news: News): void {
    if (news.kind === 'merged') {
      this.merges++
      return
    }
    this.heard++
    if (news.kind === 'live') {
      const parent = this.lives.get(news.from!)!
      this.begin(news.id, expectedOf(parent, news.length), news.plan)
    } else {
      this.lives.get(news.id)![news.kind] = news.length
    }
  }
}

/** The log of a life, as far as `length`. */
export function expectedOf({ base, plan }: Life, length: number): readonly Logged[] {
  const log = base.slice(0, length)
  for (const { type, data } of planned(plan)) {
    if (log.length >= length) break
    log.push({ type, data } as Logged)
  }
  return log
}

/** Where the last turn ends that the page knew to be stored: the length of the log up to there. */
export function endedIn(life: Life): number {
  return expectedOf(life, life.durable).findLastIndex(({ type }) => type === 'turn/end') + 1
}

/** A page that runs what it is given, as Playwright's do. */
export type Driven = Pick<Page, 'evaluate'>

export interface Found {
  /** As `inspect` gives it. */
  events: SessionEvent[]
  /** Events that are stored; those after them close a turn. */
  stored: number
}

/** What is there of a session now, looked at without writing. */
export async function find(page: Driven, id: string): Promise<Found | undefined> {
  const before = await page.evaluate((id) => window.faults.row(id), id)
  // Nothing but the reservation of an id, which is no session to anyone.
  if (before === undefined || 'reserved' in (JSON.parse(before) as object)) return undefined
  const events = await page.evaluate(async (id) => {
    const { events } = await window.faults.store.inspect(id)
    return events as SessionEvent[]
  }, id)
  expect(await page.evaluate((id) => window.faults.row(id), id)).toBe(before)
  return { events, stored: (JSON.parse(before) as { length: number }).length }
}

/** Every event that was appended is there up to some point, each once and as it was; what follows closes its turn. */
export function expectWhole({ events, stored }: Found, life: Life): void {
  const log = events.slice(0, stored)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i))
  expect(firstDifference(log, expectedOf(life, stored))).toBeUndefined()
  expect(events.slice(stored)).toEqual(interruptedTurnClosers(log))
}

function firstDifference(found: readonly Logged[], expected: readonly Logged[]): unknown {
  const seq = found.findIndex((event, seq) => textOf(event) !== textOf(expected[seq]!))
  if (seq < 0) return undefined
  return { seq, found: textOf(found[seq]!).slice(0, 300), expected: textOf(expected[seq]!).slice(0, 300) }
}

/** What tells an event of a session from all its others. */
export function textOf({ type, data }: Logged): string {
  return `${type} ${JSON.stringify(data)}`
}
