import fc from 'fast-check'
import { packChunkRuns } from 'idb-sessions/log'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../lib/log/event.js'
import {
  clipLines,
  concat,
  decodeLines,
  decodeText,
  describe as describeSegment,
  dropLines,
  encodeRecord,
  encodeSegments,
  SEGMENT_BYTES,
} from '../../lib/log/jsonl.js'
import { applyEffect, effectOf, type Summary } from '../../lib/log/summary.js'
import { acceptedLog, bytesOf, delta, log, realLog, start, title, turn, user } from './support.js'

const lines = (events: readonly SessionEvent[]): Uint8Array => concat(packChunkRuns(events).map(encodeRecord))
const sizes = (events: readonly SessionEvent[]): number[] => encodeSegments(events).map(({ bytes }) => bytes.byteLength)
const EMPTY: Summary = { lastTime: 0 }

describe('segments', () => {
  it('of no events are none', () => {
    expect(encodeSegments([])).toEqual([])
  })

  it('of a short log are one, with where its turns start and end', () => {
    const events = log(turn(1), start(2))
    expect(encodeSegments(events)).toEqual([
      { first: 0, count: 4, bytes: lines(events), effect: effectOf(events), starts: [0, 3], ends: [2] },
    ])
  })

  it('begin at the first seq of the events, wherever that is', () => {
    expect(encodeSegments(log(turn(1), turn(2)).slice(3))[0]).toMatchObject({ first: 3, starts: [3], ends: [5] })
  })

  it('give the events back, one after the other', () => {
    fc.assert(
      fc.property(fc.oneof(realLog, acceptedLog), fc.nat(), (events, from) => {
        const own = events.slice(from % (events.length + 1))
        const segments = encodeSegments(own)
        expect(segments.flatMap(({ bytes }) => decodeLines(bytes))).toStrictEqual(own)
      }),
    )
  })

  it('say what their bytes hold', () => {
    fc.assert(
      fc.property(realLog, (events) => {
        for (const segment of encodeSegments(events)) {
          expect(describeSegment(decodeLines(segment.bytes), segment.bytes)).toEqual(segment)
        }
      }),
    )
  })

  it('are large logs in pieces of at most 48 KiB that follow each other and hold everything', () => {
    const sized = fc.array(fc.tuple(fc.boolean(), fc.nat(30_000)), { maxLength: 12 })
    fc.assert(
      fc.property(sized, (sized) => {
        const events = log(sized.map(([chunk, size]) => (chunk ? delta('x'.repeat(size)) : user('x'.repeat(size / 2)))))
        const segments = encodeSegments(events)
        expect(segments.filter(({ bytes }) => bytes.byteLength > SEGMENT_BYTES)).toEqual([])
        expect(segments.flatMap(({ bytes }) => decodeLines(bytes))).toEqual(events)
        expect(segments.map(({ first, count }) => first + count)).toEqual([
          ...segments.slice(1).map(({ first }) => first),
          ...(events.length > 0 ? [events.length] : []),
        ])
      }),
    )
  })

  it('give a larger event one of its own', () => {
    const segments = encodeSegments(log(start(1), user('x'.repeat(SEGMENT_BYTES)), start(2)))
    expect(segments.map(({ count }) => count)).toEqual([1, 1, 1])
  })

  it('cut a run of large deltas, so that it fills them', () => {
    const run = log(Array.from({ length: 60 }, () => delta('x'.repeat(5000))))
    expect(Math.max(...sizes(run))).toBeLessThanOrEqual(SEGMENT_BYTES)
  })

  it('leave at most a quarter of each free in a long run', () => {
    const run = log(Array.from({ length: 20_000 }, () => delta('token ')))
    expect(Math.min(...sizes(run).slice(0, -1))).toBeGreaterThan((SEGMENT_BYTES * 3) / 4)
  })

  it('summed up give the summary of the log', () => {
    fc.assert(
      fc.property(realLog, (events) => {
        const inSegments = encodeSegments(events).reduce((summary, { effect }) => applyEffect(summary, effect), EMPTY)
        expect(inSegments).toEqual(applyEffect(EMPTY, effectOf(events)))
      }),
    )
  })
})

describe('the lines of a segment', () => {
  it('each end in a newline, newlines in texts aside', () => {
    expect(decodeText(lines(log(title('a\nb'), title('c')))).split('\n')).toHaveLength(3)
  })

  it('give frozen events', () => {
    const [event] = decodeLines(lines(log(user('a')))) as [SessionEvent<'user/message'>]
    expect([event, event.data, event.data.content[0]].every(Object.isFrozen)).toBe(true)
  })

  it('may end in CR LF, as a file from elsewhere may', () => {
    const [event] = log(start(1))
    expect(decodeLines(bytesOf(`${JSON.stringify(event)}\r\n`))).toEqual([event])
  })

  it('keep lone surrogates', () => {
    const events = log(title('\ud800'))
    expect(decodeLines(lines(events))).toEqual(events)
  })

  it('keep a byte order mark inside a text', () => {
    const events = log(title('\ufeff'))
    expect(decodeLines(lines(events))).toEqual(events)
  })

  it.each<[string, Uint8Array]>([
    ['no JSON', bytesOf('{\n')],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22, 0x0a])],
    ['a malformed row', bytesOf('{"type":"text-chunks"}\n')],
  ])('that are %s throw', (_name, bytes) => {
    expect(() => decodeLines(bytes)).toThrow()
  })
})

const positions = fc.tuple(fc.oneof(realLog, acceptedLog), fc.nat()).map(([events, from]) => {
  return events.slice(from % (events.length + 1))
})

describe('clipping lines', () => {
  it('at every position keeps the events before it', () => {
    fc.assert(
      fc.property(positions, (events) => {
        const bytes = lines(events)
        const clipped = Array.from({ length: events.length + 1 }, (_, count) => decodeLines(clipLines(bytes, count)))
        expect(clipped).toStrictEqual(clipped.map((_, count) => events.slice(0, count)))
      }),
      { numRuns: 50 },
    )
  })

  it('keeps the bytes of whole lines', () => {
    const bytes = bytesOf('{"seq":0, "type":"spaced"}\r\n{"seq":1}\n')
    expect(decodeText(clipLines(bytes, 1))).toBe('{"seq":0, "type":"spaced"}\r\n')
  })

  it('packs a row anew that it cuts', () => {
    const run = log(Array.from({ length: 5 }, () => delta('a')))
    expect(clipLines(lines(run), 4)).toEqual(lines(run.slice(0, 4)))
  })

  it('does not share its bytes', () => {
    const bytes = lines(log(start(1)))
    expect(clipLines(bytes, 1).buffer).not.toBe(bytes.buffer)
  })

  it('to more events than there are throws', () => {
    expect(() => clipLines(lines(log(start(1))), 2)).toThrow(RangeError)
  })
})

describe('dropping lines', () => {
  it('at every position keeps the events from there on', () => {
    fc.assert(
      fc.property(positions, (events) => {
        const bytes = lines(events)
        const dropped = events.map(({ seq }) => decodeLines(dropLines(bytes, seq)))
        expect(dropped).toStrictEqual(events.map((_, k) => events.slice(k)))
      }),
      { numRuns: 50 },
    )
  })
})
