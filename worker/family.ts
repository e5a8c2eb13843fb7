/**
 * The tree of all sessions that share their first event. Every log goes on from one place in one other log, and a session
 * ends at one place in one log: so logs form a tree, of which each session is a path from the root.
 */
import type { SessionId } from '../lib/log/event.js'
import type { Branch } from '../lib/wire/protocol.js'
import type { LineageRecord, SessionRow } from './records.js'
import { titleOf } from './sessions.js'

export interface Family {
  rows: SessionRow[]
  /** Each after the one it hangs on. */
  lineages: LineageRecord[]
}

interface Log {
  points: Point[]
}

/** A place in a log, before its event `at`: a session ends there, or another log goes on from there. */
interface Point {
  at: number
  ends: SessionRow | Log
}

/** `row` has the first `shared` events of `from`, and no more. */
interface Parting {
  row: SessionRow
  from: SessionRow
  shared: number
}

/**
 * The family as it looks from one of its sessions. Where some of them part, one speaks for all: the one that was asked
 * for, else the oldest. The others, or the oldest of each way that they go together, part from it there.
 *
 * Each comes after the one that it parts from, with its own branches behind it; those of one session by where they
 * part, then by age.
 */
export function familyTree(asked: SessionId, family: Family): Branch[] {
  const byRank = (a: SessionRow, b: SessionRow): number =>
    Number(b.id === asked) - Number(a.id === asked) || byAge(a, b)
  const partings = new Map<SessionRow, Parting[]>()
  for (const parting of partingsOf(logsOf(family), byRank)) {
    const others = partings.get(parting.from)
    if (others === undefined) partings.set(parting.from, [parting])
    else others.push(parting)
  }
  const branches: Branch[] = []
  const next = (row: SessionRow): Parting[] =>
    (partings.get(row) ?? []).sort((a, b) => b.shared - a.shared || byAge(b.row, a.row))
  // The last one is taken first, so they lie in reverse.
  const waiting = family.rows.filter(({ id }) => id === asked).flatMap(next)
  for (let parting = waiting.pop(); parting !== undefined; parting = waiting.pop()) {
    branches.push(branchOf(parting.row, parting.from.id, parting.shared))
    waiting.push(...next(parting.row))
  }
  return branches
}

/** The logs of a family with what ends or goes on where, each log after the one it goes on from. */
function logsOf({ rows, lineages }: Family): Log[] {
  const logs = new Map<string, Log>()
  const place = (name: string, parent: Log | undefined, at: number): Log => {
    let log = logs.get(name)
    if (log === undefined) {
      log = { points: [] }
      logs.set(name, log)
      parent?.points.push({ at, ends: log })
    }
    return log
  }
  /** The log in which a lineage ends. */
  const tips = new Map<string | undefined, Log | undefined>()
  for (const { key, start, logs: names, ends, up } of lineages) {
    let tip = tips.get(up)
    for (const [i, name] of names.entries()) tip = place(name, tip, ends[i - 1] ?? start)
    tips.set(key, tip)
  }
  for (const row of rows) {
    const inherited = tips.get(row.lineage)
    const log = row.length > row.base ? place(row.log, inherited, row.base) : inherited
    log?.points.push({ at: row.length, ends: row })
  }
  return [...logs.values()]
}

function partingsOf(logs: readonly Log[], byRank: (a: SessionRow, b: SessionRow) => number): Parting[] {
  const partings: Parting[] = []
  /** Who speaks for all that go through a log. */
  const speakers = new Map<Log, SessionRow>()
  const first = (rows: readonly (SessionRow | undefined)[]): SessionRow | undefined =>
    rows
      .filter((row) => row !== undefined)
      .reduce<SessionRow | undefined>((a, b) => (a && byRank(a, b) < 0 ? a : b), undefined)
  for (const log of logs.toReversed()) {
    // From the end of the log on: those that go on beyond a place are known when it is reached.
    let beyond: SessionRow | undefined
    for (const { at, group } of fromEnd(log.points)) {
      const ways = [...group.map((ends) => ('points' in ends ? speakers.get(ends) : ends)), beyond]
      const speaker = first(ways)
      for (const row of ways) {
        if (row !== undefined && speaker !== undefined && row !== speaker)
          partings.push({ row, from: speaker, shared: at })
      }
      beyond = speaker
    }
    if (beyond !== undefined) speakers.set(log, beyond)
  }
  return partings
}

/** What ends or goes on at each place of a log, the last place first. */
function fromEnd(points: readonly Point[]): { at: number; group: Point['ends'][] }[] {
  const places: { at: number; group: Point['ends'][] }[] = []
  for (const { at, ends } of [...points].sort((a, b) => b.at - a.at)) {
    const last = places.at(-1)
    if (last?.at === at) last.group.push(ends)
    else places.push({ at, group: [ends] })
  }
  return places
}

export function branchOf(row: SessionRow, sharedWith: SessionId, shared: number): Branch {
  const title = titleOf(row)
  const branch = { id: row.id, sharedWith, shared, own: row.length - shared }
  return title === undefined ? branch : { ...branch, title }
}

function byAge(a: SessionRow, b: SessionRow): number {
  return a.header.createdAt - b.header.createdAt || (a.id < b.id ? -1 : 1)
}
