import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { forkLength, type Rules } from '../../lib/log/turns.js'
import { acceptedLog, type Draft, end, endSeed, log, realLog, start, title, turn, user } from './support.js'

const BOTH: Rules[] = ['rfc', 'harness']
const fork = (drafts: (Draft | Draft[])[], boundary: unknown, rules: Rules): unknown =>
  forkLength(log(...drafts), boundary, rules)

describe.each(BOTH)('a fork by the rules %s', (rules) => {
  it.each<[string, (Draft | Draft[])[], unknown, number]>([
    ['takes nothing of an empty log', [], undefined, 0],
    ['takes a log of finished turns', [turn(1), turn(2)], undefined, 6],
    ['takes the prefix up to an end', [turn(1), turn(2)], 2, 3],
    ['takes the prefix before an open turn', [turn(1), start(2)], 2, 3],
    ['takes an inherited end before its marker', [turn(1), endSeed, turn(2)], 2, 3],
    ['takes -0 for 0', [end(0)], -0, 1],
  ])('%s', (_name, drafts, boundary, length) => {
    expect(fork(drafts, boundary, rules)).toEqual({ length })
  })

  it.each([
    { kind: 'completed' },
    { kind: 'blocked' },
    { kind: 'max-tokens' },
    { kind: 'interrupted' },
    { kind: 'aborted', reason: { kind: 'user' } },
    { kind: 'error', error: { message: 'm', code: 'C' } },
  ] as const)('takes a turn that ended for the reason $kind', (reason) => {
    expect(fork([start(1), end(1, reason)], 1, rules)).toEqual({ length: 2 })
  })

  it.each([-1, 0.5, Number.NaN, Infinity, '2', null, 2n, 2 ** 53, {}])(
    'refuses %s, which is no safe integer ≥ 0',
    (boundary) => {
      expect(fork([turn(1)], boundary, rules)).toHaveProperty('code', 'INVALID_BOUNDARY')
    },
  )

  it.each([3, 99, 2 ** 53 - 1])('refuses %i, where there is no event', (boundary) => {
    expect(fork([turn(1)], boundary, rules)).toHaveProperty('code', 'INVALID_BOUNDARY')
  })

  it('refuses 0 in an empty log', () => {
    expect(fork([], 0, rules)).toHaveProperty('code', 'INVALID_BOUNDARY')
  })

  it.each([0, 1])('refuses %i, where a turn is open', (boundary) => {
    expect(fork([turn(1)], boundary, rules)).toHaveProperty('code', 'OPEN_TURN')
  })

  it('refuses the end of a log whose last turn is open', () => {
    expect(fork([turn(1), start(2), user('x')], undefined, rules)).toHaveProperty('code', 'OPEN_TURN')
  })

  it('refuses a marker inside an open turn', () => {
    expect(fork([start(1), endSeed], undefined, rules)).toHaveProperty('code', 'OPEN_TURN')
  })

  it('asks for existence before it asks for openness', () => {
    expect(fork([start(1)], 99, rules)).toHaveProperty('code', 'INVALID_BOUNDARY')
  })

  it('names the fork points around a refused boundary', () => {
    expect(fork([turn(1), turn(2), turn(3)], 4, rules)).toMatchObject({ boundary: 4, before: 2, after: 5 })
  })

  it.each([
    ['before the first event', -1, { after: 2 }],
    ['between two events', 1.5, { after: 2 }],
    ['after the last event', 99, { before: 2 }],
  ])('names the one fork point beside a boundary %s', (_name, boundary, neighbours) => {
    const { before, after } = fork([turn(1)], boundary, rules) as { before?: number; after?: number }
    expect({ ...(before !== undefined && { before }), ...(after !== undefined && { after }) }).toEqual(neighbours)
  })

  it('takes every log at every fork point', () => {
    fc.assert(
      fc.property(fc.oneof(realLog, acceptedLog), (events) => {
        const ends = events.filter(({ type }) => type === 'turn/end').map(({ seq }) => seq)
        expect(ends.map((seq) => forkLength(events, seq, rules))).toEqual(ends.map((seq) => ({ length: seq + 1 })))
      }),
    )
  })
})

describe('between turns', () => {
  it('the RFC refuses an event that is no turn/end', () => {
    expect(fork([turn(1), title('t')], 3, 'rfc')).toEqual({
      code: 'INVALID_BOUNDARY',
      reason: "event 3 is no turn/end but 'session/title'",
      boundary: 3,
      before: 2,
    })
  })

  it.each<[string, (Draft | Draft[])[], number]>([
    ['after a turn', [turn(1), title('t')], 3],
    ['before the first turn', [user('x'), start(1)], 0],
  ])('DSH takes any event %s', (_name, drafts, boundary) => {
    expect(fork(drafts, boundary, 'harness')).toEqual({ length: boundary + 1 })
  })
})

describe('labels at the very end', () => {
  it.each<[string, (Draft | Draft[])[], number, number]>([
    ['a title', [turn(1), title('t')], 3, 4],
    ['a marker', [turn(1), endSeed], 3, 4],
    ['several', [turn(1), endSeed, title('t'), title('t')], 3, 6],
    ['labels alone', [title('t'), endSeed], 0, 2],
  ])('%s: do not count by the RFC, and do in DSH', (_name, drafts, rfc, harness) => {
    expect(BOTH.map((rules) => fork(drafts, undefined, rules))).toEqual([{ length: rfc }, { length: harness }])
  })

  it('hide no other event: by the RFC the last one that counts is the boundary', () => {
    expect(fork([turn(1), user('x'), title('t')], undefined, 'rfc')).toMatchObject({
      code: 'INVALID_BOUNDARY',
      boundary: 3,
    })
  })
})
