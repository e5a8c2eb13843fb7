/** Whole files and damaged ones, by the thousand. */
import fc from 'fast-check'
import { packChunkRuns } from 'idb-sessions/log'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../lib/log/event.js'
import { LogProblem } from '../../lib/log/intake.js'
import { acceptedLog, eventsOf, fileOf, read, realLog } from './support.js'

const anyLog = fc.oneof(realLog, acceptedLog)
const file = (events: readonly SessionEvent[]): Uint8Array => fileOf(packChunkRuns(events))
const cuts = fc.array(fc.nat(), { maxLength: 30 })

type Damage = (bytes: Uint8Array) => Uint8Array
const lineDamage = (change: (lines: string[], at: number) => void): fc.Arbitrary<Damage> =>
  fc.nat().map((pick) => (bytes) => {
    const lines = new TextDecoder().decode(bytes).split('\n')
    change(lines, pick % lines.length)
    return new TextEncoder().encode(lines.join('\n'))
  })
const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.tuple(fc.nat(), fc.nat(7)).map(([pick, bit]): Damage => (bytes) => {
    const flipped = bytes.slice()
    if (flipped.length > 0) flipped[pick % flipped.length]! ^= 1 << bit
    return flipped
  }),
  fc.nat().map(
    (pick): Damage =>
      (bytes) =>
        bytes.slice(0, pick % (bytes.length + 1)),
  ),
  fc.nat().map(
    (pick): Damage =>
      (bytes) =>
        bytes.slice(pick % (bytes.length + 1)),
  ),
  lineDamage((lines, at) => lines.splice(at, 0, lines[at]!)),
  lineDamage((lines, at) => lines.splice(at, 1)),
  lineDamage((lines, at) => lines.splice(at, 0, lines.splice(at >> 1, 1)[0]!)),
  fc.tuple(fc.nat(), fc.jsonValue(), fc.nat()).map(([pick, value, field]): Damage => (bytes) => {
    // One value of one line becomes another one.
    const lines = new TextDecoder().decode(bytes).split('\n')
    const at = pick % lines.length
    const places = [...lines[at]!.matchAll(/:("[^"]*"|-?\d+)/g)]
    const place = places[field % Math.max(1, places.length)]
    if (place !== undefined) {
      const [before, after] = [lines[at]!.slice(0, place.index), lines[at]!.slice(place.index + place[0].length)]
      lines[at] = `${before}:${JSON.stringify(value)}${after}`
    }
    return new TextEncoder().encode(lines.join('\n'))
  }),
)

/** What reading a file comes to: its events and what was dropped, or its problem. */
const outcome = (bytes: Uint8Array, cuts: readonly number[]): unknown => {
  try {
    const intake = read(bytes, { cuts })
    return { events: eventsOf(intake), dropped: intake.dropped, length: intake.length }
  } catch (error) {
    if (!(error instanceof LogProblem)) throw error
    return { code: error.code, line: error.line, message: error.message }
  }
}

describe('a whole file', () => {
  it('gives its events back, with nothing dropped', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        const intake = read(file(events))
        expect([intake.dropped, eventsOf(intake)]).toStrictEqual([undefined, events])
      }),
    )
  })

  it('gives the same segments however its bytes come', () => {
    fc.assert(
      fc.property(anyLog, cuts, (events, cuts) => {
        const bytes = file(events)
        expect(read(bytes, { cuts }).takeSegments()).toEqual(read(bytes).takeSegments())
      }),
    )
  })

  it('gives the same segments byte by byte', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        const bytes = file(events.slice(0, 8))
        expect(read(bytes, { cuts: [...bytes.keys()] }).takeSegments()).toEqual(read(bytes).takeSegments())
      }),
      { numRuns: 20 },
    )
  })

  it('cut off in its body gives the events of its whole lines', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(), (events, pick) => {
        const header = file([]).length
        const whole = file(events)
        const intake = read(whole.subarray(0, header + (pick % (whole.length - header + 1))))
        const kept = eventsOf(intake)
        expect(kept).toStrictEqual(events.slice(0, kept.length))
      }),
    )
  })
})

describe('a damaged file', () => {
  const damaged = fc.tuple(anyLog, fc.array(damage, { minLength: 1, maxLength: 3 })).map(([events, damages]) => {
    return damages.reduce((bytes, damage) => damage(bytes), file(events))
  })

  it('is read, or has a problem that names one of its lines; nothing else comes of it', () => {
    fc.assert(
      fc.property(damaged, (bytes) => {
        const lines = bytes.filter((byte) => byte === 10).length + 1
        const { line = 1 } = outcome(bytes, []) as { line?: number }
        expect(line >= 1 && line <= lines).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('comes to the same however its bytes come', () => {
    fc.assert(
      fc.property(damaged, cuts, (bytes, cuts) => {
        expect(outcome(bytes, cuts)).toEqual(outcome(bytes, []))
      }),
    )
  })

  it('that is read at all gives a log that can be written and read again', () => {
    fc.assert(
      fc.property(damaged, (bytes) => {
        const { events } = outcome(bytes, []) as { events?: SessionEvent[] }
        fc.pre(events !== undefined)
        expect(outcome(file(events), [])).toStrictEqual({ events, dropped: undefined, length: events.length })
      }),
      { numRuns: 500 },
    )
  })
})
