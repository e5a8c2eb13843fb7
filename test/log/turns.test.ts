import fc from 'fast-check'
import { branchPointFor, forkPointFor, lastForkPoint } from 'idb-sessions/log'
import { describe, expect, it } from 'vitest'
import { advanceTurn, forkPointsOf, NO_TURN, type TurnState } from '../../lib/log/turns.js'
import { acceptedLog, type Draft, end, log, realLog, start, stepEnd, stepStart, title, turn, user } from './support.js'

const MAX = Number.MAX_SAFE_INTEGER
const stateAfter = (...drafts: (Draft | Draft[])[]): TurnState => log(...drafts).reduce(advanceTurn, NO_TURN)

describe('the turn of a log', () => {
  it.each<[string, (Draft | Draft[])[], TurnState]>([
    ['that is empty', [], { next: 1 }],
    ['inside a turn', [start(1)], { open: 1, next: 2 }],
    ['inside a step', [start(1), stepStart(1, 3)], { open: 1, step: 3, next: 2 }],
    ['after a step', [start(1), stepStart(1, 1), stepEnd(1, 1)], { open: 1, next: 2 }],
    ['after a turn', [turn(1)], { next: 2 }],
    ['after a turn that ends inside a step', [start(1), stepStart(1, 1), end(1)], { next: 2 }],
    ['after a turn with a number of its own', [turn(7)], { next: 8 }],
    ['with a step outside of turns', [stepStart(1, 1)], { next: 1 }],
    ['in a turn without a number', [{ type: 'turn/start', data: null }], { open: 1, next: 2 }],
    ['in a turn 0', [turn(4), start(0)], { open: 5, next: 6 }],
    ['in a turn with a fractional number', [start(0.5)], { open: 1, next: 2 }],
    ['after the largest turn', [turn(MAX)], { next: MAX }],
    ['in a step without a number', [start(1), { type: 'step/start', data: {} }], { open: 1, step: 1, next: 2 }],
  ])('%s', (_name, drafts, state) => {
    expect(stateAfter(...drafts)).toStrictEqual(state)
  })

  it('is the same object after an event that does not touch it', () => {
    const state = stateAfter(start(1))
    expect(log(title('t'), stepEnd(1, 1)).reduce(advanceTurn, state)).toBe(state)
  })

  it('is open exactly when the last turn event is a start', () => {
    fc.assert(
      fc.property(acceptedLog, (events) => {
        const last = events.findLast(({ type }) => type === 'turn/start' || type === 'turn/end')
        const state = events.reduce(advanceTurn, NO_TURN)
        expect(state.open !== undefined).toBe(last?.type === 'turn/start')
      }),
    )
  })
})

describe('fork points', () => {
  it('are the ends of turns, with what a list shows of them', () => {
    expect(forkPointsOf(log(turn(1), title('t'), turn(2)))).toEqual([
      { seq: 2, turn: 1, reason: { kind: 'completed' }, time: log(turn(1))[2]!.time },
      { seq: 6, turn: 2, reason: { kind: 'completed' }, time: expect.any(Number) },
    ])
  })

  it('are ends for whatever reason', () => {
    const reasons = ['completed', 'blocked', 'max-tokens', 'interrupted'] as const
    const points = forkPointsOf(log(reasons.map((kind) => end(1, { kind }))))
    expect(points.map(({ reason }) => reason.kind)).toEqual(reasons)
  })
})

describe('the last fork point', () => {
  it.each<[string, (Draft | Draft[])[], number | undefined]>([
    ['is the last turn/end', [turn(1), turn(2)], 5],
    ['is before an open turn', [turn(1), start(2), user('x')], 2],
    ['is before a title at the end', [turn(1), title('t')], 2],
    ['does not exist without a finished turn', [title('t'), start(1)], undefined],
  ])('%s', (_name, drafts, seq) => {
    expect(lastForkPoint(log(...drafts))).toBe(seq)
  })
})

//  0 start, 1 prompt, 2 end, 3 title, 4 start, 5 prompt, 6 end, 7 start, 8 prompt
const events = log(turn(1), title('t'), turn(2), start(3), user('x'))

describe('the fork point for an event', () => {
  it.each<[string, number, number | undefined]>([
    ['of a turn is the end of that turn', 1, 2],
    ['that ends a turn is itself', 2, 2],
    ['between two turns is the end of the next one', 3, 6],
    ['of an open turn does not exist', 8, undefined],
    ['that is not there does not exist', 9, undefined],
    ['before the first does not exist', -1, undefined],
    ['that is no integer does not exist', 0.5, undefined],
  ])('%s', (_name, seq, point) => {
    expect(forkPointFor(events, seq)).toBe(point)
  })
})

describe('the branch point for an event', () => {
  it.each<[string, number, number | undefined]>([
    ['of the first turn does not exist', 1, undefined],
    ['that ends the first turn does not exist', 2, undefined],
    ['between two turns is the end before it', 3, 2],
    ['that starts a turn is the end before it', 4, 2],
    ['of a turn is the end before that turn', 5, 2],
    ['that ends a turn is the end before that turn', 6, 2],
    ['of an open turn is the end before that turn', 8, 6],
    ['that is not there does not exist', 9, undefined],
    ['before the first does not exist', -1, undefined],
    ['that is no integer does not exist', 0.5, undefined],
  ])('%s', (_name, seq, point) => {
    expect(branchPointFor(events, seq)).toBe(point)
  })

  it('comes before the fork point for the same event, with exactly one turn between', () => {
    fc.assert(
      fc.property(realLog, fc.nat(), (events, pick) => {
        fc.pre(events.length > 0)
        const seq = pick % events.length
        const after = forkPointFor(events, seq)
        fc.pre(after !== undefined)
        const between = events.slice((branchPointFor(events, seq) ?? -1) + 1, after + 1)
        expect(between.filter(({ type }) => type === 'turn/end')).toHaveLength(1)
      }),
    )
  })
})
