import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEffect, effectOf, type Summary } from '../../lib/log/summary.js'
import { acceptedLog, type Draft, log, realLog, start, title, turn } from './support.js'

const EMPTY: Summary = { lastTime: 0 }
const summary = (...drafts: (Draft | Draft[])[]): Summary => applyEffect(EMPTY, effectOf(log(...drafts)))

describe('the summary of a log', () => {
  it('has the number of the open turn', () => {
    expect(summary(turn(1), start(2)).open).toBe(2)
  })

  it('has no open turn after the end of one', () => {
    expect(summary(turn(1))).not.toHaveProperty('open')
  })

  it('has 0 for an open turn without a number', () => {
    expect(summary({ type: 'turn/start', data: null }).open).toBe(0)
  })

  it('has the last title', () => {
    expect(summary(title('a'), title('b')).title).toBe('b')
  })

  it('may have an empty title', () => {
    expect(summary(title('a'), title('')).title).toBe('')
  })

  it('passes over titles that are no strings', () => {
    expect(summary(title('a'), { type: 'session/title', data: { title: 5 } }).title).toBe('a')
  })

  it('has a title of at most 1000 characters', () => {
    expect(summary(title('x'.repeat(5000))).title).toHaveLength(1000)
  })

  it.each([
    ['is cut before it', 999, 999],
    ['is kept before the cut', 998, 1000],
  ])('has no half of a surrogate pair at its end: the pair %s', (_name, before, length) => {
    expect(summary(title(`${'x'.repeat(before)}😀😀`)).title).toHaveLength(length)
  })

  it('has the latest time, though events go back', () => {
    expect(summary({ ...start(1), time: 9 }, { ...start(2), time: 5 }).lastTime).toBe(9)
  })

  it('never goes back to an earlier time', () => {
    expect(applyEffect({ lastTime: 100 }, effectOf(log({ ...start(1), time: 5 }))).lastTime).toBe(100)
  })
})

describe('effects', () => {
  it('of no events change nothing', () => {
    const before = { open: 1, title: 't', lastTime: 5 }
    expect(applyEffect(before, effectOf([]))).toEqual(before)
  })

  it('of the parts of a log, in order, are the effect of the whole', () => {
    const cuts = fc.array(fc.nat(), { maxLength: 5 })
    fc.assert(
      fc.property(fc.oneof(realLog, acceptedLog), cuts, (events, cuts) => {
        const places = [0, ...cuts.map((cut) => cut % (events.length + 1)), events.length].sort((a, b) => a - b)
        const parts = places.slice(1).map((place, k) => events.slice(places[k], place))
        const inParts = parts.map(effectOf).reduce(applyEffect, EMPTY)
        expect(inParts).toStrictEqual(applyEffect(EMPTY, effectOf(events)))
      }),
    )
  })
})
