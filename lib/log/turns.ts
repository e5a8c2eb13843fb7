/** Turns, and where a log may be forked (`rfc`, `spec` 3.4). */
import type { SessionEvent, TurnEndReason } from './event.js'

/** A `turn/end`: a place where a fork may be made. `time` is Unix epoch, ms. */
export interface ForkPoint {
  seq: number
  turn: number
  reason: TurnEndReason
  time: number
}

/** The RFC as it was decided, or DSH as it runs today (`spec` 12). */
export type Rules = 'rfc' | 'harness'

/** Where a log stands: the open turn and step, and the number of the next turn. */
export interface TurnState {
  readonly open?: number
  readonly step?: number
  readonly next: number
}

export const NO_TURN: TurnState = Object.freeze({ next: 1 })

/** The state after one more event; the same object when the event does not touch it. */
export function advanceTurn(state: TurnState, event: SessionEvent): TurnState {
  switch (event.type) {
    case 'turn/start': {
      const open = turnOf(event, state.next)
      // The largest number closes every later turn too, rather than one that no `turn/end` may carry.
      return Object.freeze({ open, next: Math.min(open + 1, Number.MAX_SAFE_INTEGER) })
    }
    case 'turn/end':
      return state.open === undefined ? state : Object.freeze({ next: state.next })
    case 'step/start':
      return state.open === undefined ? state : Object.freeze({ ...state, step: stepOf(event) })
    case 'step/end': {
      if (state.step === undefined) return state
      const { step: _closed, ...rest } = state
      return Object.freeze(rest)
    }
    default:
      return state
  }
}

/** The turn number that an event carries; `otherwise` when it carries none that a `turn/end` could repeat. */
export function turnOf(event: SessionEvent, otherwise: number): number {
  const turn: unknown = (event.data as { turn?: unknown } | null)?.turn
  return isTurnNumber(turn) ? turn : otherwise
}

/** Turns count from 1. */
export function isTurnNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

/** The step number that an event carries; 1 when its data is not of that shape. */
export function stepOf(event: SessionEvent): number {
  const step: unknown = (event.data as { step?: unknown } | null)?.step
  return typeof step === 'number' ? step : 1
}

/** Every `turn/end` of a log, in order. */
export function forkPointsOf(events: readonly SessionEvent[]): ForkPoint[] {
  const points: ForkPoint[] = []
  for (const event of events) if (event.type === 'turn/end') points.push(forkPoint(event))
  return points
}

function forkPoint(event: SessionEvent<'turn/end'>): ForkPoint {
  return Object.freeze({ seq: event.seq, turn: turnOf(event, 0), reason: event.data?.reason, time: event.time })
}

/** The last `turn/end`, or undefined. What a subagent fork cuts at. Source: `spec` 8. */
export function lastForkPoint(events: readonly SessionEvent[]): number | undefined {
  return endBefore(events, events.length)
}

/**
 * "Fork at this message": the first `turn/end` at or after `seq`. Undefined when that turn is open, and when there
 * is no such event.
 */
export function forkPointFor(events: readonly SessionEvent[], seq: number): number | undefined {
  if (!isSeqOf(events, seq)) return undefined
  return endFrom(events, seq)
}

/**
 * "Ask this again": the last `turn/end` before the turn that holds `seq`. Undefined when nothing finished before it,
 * and when there is no such event.
 */
export function branchPointFor(events: readonly SessionEvent[], seq: number): number | undefined {
  if (!isSeqOf(events, seq)) return undefined
  // An end belongs to the turn it closes, so the search for the turn's start begins before it.
  let at = events[seq]!.type === 'turn/end' ? seq - 1 : seq
  while (at >= 0 && events[at]!.type !== 'turn/start' && events[at]!.type !== 'turn/end') at--
  return endBefore(events, at + 1)
}

/** A refused boundary; `before` and `after` are the nearest fork points. */
export interface BoundaryProblem {
  code: 'INVALID_BOUNDARY' | 'OPEN_TURN'
  reason: string
  boundary?: number
  before?: number
  after?: number
}

/**
 * How many events a fork takes, or why it may not be made: the checks 4 to 6 of the fork table.
 * @param boundary inclusive seq; undefined: the last event that counts
 */
export function forkLength(
  events: readonly SessionEvent[],
  boundary: unknown,
  rules: Rules,
): { length: number } | BoundaryProblem {
  const last = boundary === undefined ? lastCounted(events, rules) : undefined
  if (last === -1) return { length: 0 }
  const seq = seqOf(events, last ?? boundary, 'a boundary is the seq of an event')
  if (typeof seq !== 'number') return seq
  if (isOpenAt(events, seq)) {
    const points = near(events, seq)
    const cure = points.after === undefined ? 'wait for its end' : `it ends at event ${points.after}`
    return { code: 'OPEN_TURN', reason: `event ${seq} lies inside a turn that is open there; ${cure}`, ...points }
  }
  const { type } = events[seq]!
  if (rules === 'rfc' && type !== 'turn/end') {
    return { code: 'INVALID_BOUNDARY', reason: `event ${seq} is no turn/end but '${type}'`, ...near(events, seq) }
  }
  return { length: seq + 1 }
}

/**
 * How many events lie before the turn that holds `seq`, up to the last `turn/end` there; 0 when no turn has ended
 * before it. A `seq` that is none is refused as a boundary is.
 */
export function lengthBefore(events: readonly SessionEvent[], seq: unknown): { length: number } | BoundaryProblem {
  const held = seqOf(events, seq, 'a turn is named by the seq of an event in it')
  if (typeof held !== 'number') return held
  const point = branchPointFor(events, held)
  return { length: point === undefined ? 0 : point + 1 }
}

/** A value as the seq of an event, if it is one; `rule` says what it should be. */
function seqOf(events: readonly SessionEvent[], value: unknown, rule: string): number | BoundaryProblem {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    const known = Number.isFinite(value) ? near(events, value as number) : {}
    return { code: 'INVALID_BOUNDARY', reason: `${rule}, not ${sayWhat(value)}`, ...known }
  }
  const seq = (value as number) + 0 // -0 is a valid 0
  if (events[seq]?.seq === seq) return seq
  return { code: 'INVALID_BOUNDARY', reason: `there is no event ${seq}`, ...near(events, seq) }
}

function sayWhat(value: unknown): string {
  if (typeof value === 'number' || value === null || value === undefined) return String(value)
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Labels are no part of a turn, and the RFC knows neither; DSH counts them. */
function lastCounted(events: readonly SessionEvent[], rules: Rules): number {
  let seq = events.length - 1
  if (rules === 'rfc') while (seq >= 0 && isLabel(events[seq]!)) seq--
  return seq
}

function isLabel(event: SessionEvent): boolean {
  return event.type === 'session/title' || event.type === 'session/end-seed'
}

/** Whether the last turn event at or before `seq` is a `turn/start`. */
function isOpenAt(events: readonly SessionEvent[], seq: number): boolean {
  for (let at = seq; at >= 0; at--) {
    if (events[at]!.type === 'turn/end') return false
    if (events[at]!.type === 'turn/start') return true
  }
  return false
}

function near(events: readonly SessionEvent[], boundary: number): Omit<BoundaryProblem, 'code' | 'reason'> {
  const before = endBefore(events, Math.max(0, Math.min(events.length, Math.ceil(boundary))))
  const after = endFrom(events, Math.max(0, Math.floor(boundary) + 1))
  return { boundary, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
}

/** The last `turn/end` before position `end`. */
function endBefore(events: readonly SessionEvent[], end: number): number | undefined {
  for (let at = end - 1; at >= 0; at--) if (events[at]!.type === 'turn/end') return at
  return undefined
}

/** The first `turn/end` at or after `seq`. */
function endFrom(events: readonly SessionEvent[], seq: number): number | undefined {
  for (let at = seq; at < events.length; at++) if (events[at]!.type === 'turn/end') return at
  return undefined
}

function isSeqOf(events: readonly SessionEvent[], seq: number): boolean {
  return Number.isSafeInteger(seq) && seq >= 0 && seq < events.length
}
