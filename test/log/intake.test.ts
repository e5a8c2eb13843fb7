import { describe, expect, it } from 'vitest'
import { MAX_EVENT_BYTES } from '../../lib/log/check.js'
import { LogIntake, MAX_ROW } from '../../lib/log/intake.js'
import { SEGMENT_BYTES } from '../../lib/log/jsonl.js'
import { assistant, bytesOf, delta, end, eventsOf, fileOf, HEADER_LINE, log, nested } from './support.js'
import { read, replacing, result, start, title, turn, user } from './support.js'

/** The code and the line of the problem that a file has. */
const problem = (file: Uint8Array, ownTypes: string[] = []): unknown => {
  try {
    return read(file, { ownTypes }).length
  } catch (error) {
    const { code, line } = error as { code: string; line: number }
    return `${code} ${line}`
  }
}
const invalid = (line: number): string => `INVALID_LOG ${line}`
const unsupported = (line: number): string => `FORMAT_UNSUPPORTED ${line}`
const row = { type: 'text-chunks', seq0: 1, time0: 1, data: { turn: 1, step: 1, index: 0, dt: [1], texts: ['a', 'b'] } }

describe('a file', () => {
  it('gives its header and its events', () => {
    const events = log(turn(1))
    const intake = read(fileOf(events))
    expect([intake.header?.id, intake.length, eventsOf(intake)]).toEqual(['s', 3, events])
  })

  it('of a header alone is an empty log', () => {
    expect(read(fileOf([])).length).toBe(0)
  })

  it('gives its lines as they are, byte for byte', () => {
    const line = '{ "seq":0, "type":"turn/start",\t"time":1,"data":{"turn":1e0} }\r'
    expect(read(fileOf([line])).takeSegments()[0]?.bytes).toEqual(bytesOf(`${line}\n`))
  })

  it('may have CR LF at the end of every line', () => {
    const text = new TextDecoder().decode(fileOf(log(turn(1)))).replaceAll('\n', '\r\n')
    expect(read(bytesOf(text)).length).toBe(3)
  })

  it('may hold rows, also shorter ones than we write', () => {
    expect(eventsOf(read(fileOf([...log(start(1)), row]))).map(({ seq }) => seq)).toEqual([0, 1, 2])
  })

  const longRow = (count: number): object => {
    const texts = Array.from({ length: count }, () => '')
    return { ...row, data: { ...row.data, dt: texts.slice(1).map(() => 0), texts } }
  }

  it('may hold a row of very many events', () => {
    expect(read(fileOf([...log(start(1)), longRow(70_000)])).length).toBe(70_001)
  })

  it('may not hold a row that a few bytes an event unfold into too many, and none of it is left out as a torn tail', () => {
    expect(() => read(fileOf([...log(start(1)), longRow(MAX_ROW + 1)]))).toThrow(
      expect.objectContaining({ code: 'INVALID_LOG', line: 3 }),
    )
  })

  it('gives each segment once', () => {
    const intake = read(fileOf(log(turn(1))))
    expect([intake.takeSegments().length, intake.takeSegments().length]).toEqual([1, 0])
  })

  it('is cut into segments before they exceed 48 KiB', () => {
    const long = log(Array.from({ length: 10 }, () => user('x'.repeat(20_000))))
    const segments = read(fileOf(long)).takeSegments()
    expect(segments.filter(({ bytes }) => bytes.byteLength > SEGMENT_BYTES)).toEqual([])
  })

  it('gives segments while it is still being read', () => {
    const intake = new LogIntake([])
    intake.write(fileOf(log(Array.from({ length: 10 }, () => user('x'.repeat(20_000))))))
    expect(intake.takeSegments().length).toBeGreaterThan(0)
  })

  it('has the lines that it drops, and those after it, in no segment', () => {
    const intake = read(fileOf([...log(start(1)), '{', ...log(start(1), title('t')).slice(1)]))
    expect(eventsOf(intake)).toEqual(log(start(1)))
  })
})

describe('the header of a file', () => {
  it.each([
    ['nothing at all', bytesOf('')],
    ['an empty line', bytesOf('\n')],
    ['no newline', bytesOf(HEADER_LINE)],
    ['a byte order mark', bytesOf(`\ufeff${HEADER_LINE}\n`)],
    ['bytes that are no UTF-8', new Uint8Array([0xff, 0x0a])],
    ['an event in its place', bytesOf(`${JSON.stringify(log(start(1))[0])}\n`)],
    ['no delegationDepth', bytesOf('{"type":"session","version":0,"id":"s","createdAt":1}\n')],
  ])('cannot be %s', (_name, file) => {
    expect(problem(file)).toBe(invalid(1))
  })

  it('of a newer version is of another format, whatever the rest is', () => {
    expect(problem(bytesOf(`${HEADER_LINE.replace('"version":0', '"version":1')}\n{`))).toBe(unsupported(1))
  })

  it('of a compressed log names the cure, also without any newline', () => {
    expect(() => read(new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x20]))).toThrow(/zstd -d/)
  })
})

describe('a torn tail', () => {
  const good = log(turn(1), start(2))
  it.each<[string, (object | string)[], RegExp]>([
    ['a line that is no JSON', ['{"type":"assi'], /no JSON/],
    ['a blank line', [''], /no JSON/],
    ['a malformed row', [{ ...row, seq0: 4, data: {} }], /malformed text-chunks row/],
    ['a gap in seq', log(turn(1), start(2), title('t'), title('t')).slice(5), /seq is not 4/],
    ['a line twice', good.slice(3), /seq is not 4/],
    ['a line that is no event', ['null'], /seq is not 4/],
    ['garbage after garbage', ['{', '{', '"x"'], /no JSON/],
  ])('begins at %s', (_name, tail, reason) => {
    const { length, dropped } = read(fileOf([...good, ...tail]))
    expect([length, dropped]).toEqual([4, { line: 6, reason: expect.stringMatching(reason) as string }])
  })

  it('is a last line without its newline, complete JSON or not', () => {
    const whole = fileOf(log(turn(1)))
    const { length, dropped } = read(whole.subarray(0, whole.byteLength - 1))
    expect([length, dropped?.line]).toEqual([2, 4])
  })

  it('is named by its first line', () => {
    const file = fileOf([...good, '{', '{'])
    expect(read(file.subarray(0, file.byteLength - 1)).dropped?.line).toBe(6)
  })

  it.each<[string, (object | string)[]]>([
    ['a bad line', ['{', ...log(turn(1)).slice(2)]],
    ['a blank line', ['', ...log(end(1))]],
    ['a gap', log(turn(1), start(2), turn(2)).slice(5)],
  ])('holds no turn/end: with one after %s the damage is in the middle', (_name, tail) => {
    expect(problem(fileOf([...good, ...tail]))).toBe(invalid(6))
  })

  it('does not begin at a turn/end', () => {
    expect(problem(fileOf([...good, ...log(end(2))]))).toBe(invalid(6))
  })

  it('holds no turn/end that is whole', () => {
    expect(read(fileOf([...good, '{', '{"type":"turn/end"'])).dropped?.line).toBe(6)
  })
})

describe('a line that is an event', () => {
  const line = (text: string): unknown => problem(fileOf([text]))
  it.each([
    ['a field more', '{"type":"turn/start","seq":0,"time":1,"data":{},"extra":1}'],
    ['no data', '{"type":"turn/start","seq":0,"time":1}'],
    ['-0 in its data', '{"type":"turn/start","seq":0,"time":1,"data":-0}'],
    ['seq -0', '{"type":"turn/start","seq":-0,"time":1,"data":{}}'],
    ['a number that overflows', '{"type":"turn/start","seq":0,"time":1,"data":1e999}'],
    ['a removed type', '{"type":"mode/set","seq":0,"time":1,"data":{}}'],
    ['a surfaceOp out of place', '{"type":"turn/start","seq":0,"time":1,"data":{},"surfaceOp":"append"}'],
    ['a message without surfaceOp', JSON.stringify({ ...log(user('x'))[0], surfaceOp: undefined })],
    ['a message without id', JSON.stringify(log({ ...user('x'), data: {} })[0])],
  ])('with %s is refused, also at the end', (_name, text) => {
    expect(line(text)).toBe(invalid(2))
  })

  it('of an unknown type is of another format', () => {
    expect(problem(fileOf(log(start(1), { type: 'my/event', data: 1 })))).toBe(unsupported(3))
  })

  it("of the application's own type is taken", () => {
    expect(problem(fileOf(log({ type: 'my/event', data: 1 })), ['my/event'])).toBe(1)
  })

  it('of an unknown type that is ignorable is kept', () => {
    const events = log({ type: 'my/event', data: 1, ignorable: true })
    expect(eventsOf(read(fileOf(events)))).toEqual(events)
  })

  it.each([
    [500, 1],
    [501, invalid(2)],
    [100_000, invalid(2)],
  ])('with %i levels of nesting in its data: %s', (levels, outcome) => {
    const data = levels > 501 ? '['.repeat(levels) + ']'.repeat(levels) : JSON.stringify(nested(levels))
    expect(line(`{"type":"todo/write","seq":0,"time":1,"data":${data}}`)).toBe(outcome)
  })

  const large = (more: number): Uint8Array => {
    const frame = JSON.stringify(log({ type: 'todo/write', data: '' })[0]).length
    return fileOf(log({ type: 'todo/write', data: 'x'.repeat(MAX_EVENT_BYTES - frame + more) }))
  }
  it('may be as large as an append may be', () => {
    expect(read(large(0), { cuts: [100] }).length).toBe(1)
  })

  it('is refused when it is larger', () => {
    expect(problem(large(1))).toBe(invalid(2))
  })

  it('is refused when it is larger before its end has come', () => {
    expect(problem(large(9).subarray(0, -1))).toBe(invalid(2))
  })
})

describe('a file with several problems', () => {
  const unknown = { type: 'my/event', data: 1 }
  const misshapen = { ...start(1), time: 0.5 }
  it.each<[string, object[], string]>([
    ['a misshapen event, then an unknown type', log(misshapen, unknown), unsupported(3)],
    ['an unknown type, then a misshapen event', log(unknown, misshapen), unsupported(2)],
    ['two unknown types', log(start(1), unknown, unknown), unsupported(3)],
    ['two misshapen events', log(start(1), misshapen, misshapen), invalid(3)],
    ['an unknown type, then an obsolete one', log(unknown, { type: 'mode/set', data: {} }), invalid(3)],
    ['an unknown type, then a malformed message', log(unknown, { ...user('x'), data: {} }), invalid(3)],
    ['an unknown type, then a malformed turn/end', log(unknown, { type: 'turn/end', data: {} }), invalid(3)],
    ['an unknown type, then damage in the middle', log(unknown, end(1), end(1)).toSpliced(1, 1), invalid(3)],
    ['an unknown type, then a torn tail', log(unknown, title('t'), title('t')).toSpliced(1, 1), unsupported(2)],
  ])('is refused for the one that DSH looks for first: %s', (_name, events, outcome) => {
    expect(problem(fileOf(events))).toBe(outcome)
  })

  it('gives no segment from the first of them on', () => {
    const intake = new LogIntake([])
    intake.write(
      fileOf(
        log(
          unknown,
          Array.from({ length: 10 }, () => user('x'.repeat(20_000))),
        ),
      ),
    )
    expect(intake.takeSegments()).toEqual([])
  })
})

describe('the surface of a file', () => {
  it('takes replaced tool results', () => {
    expect(problem(fileOf(log(result('c', 'long'), replacing(result('c', 'cut'), 0, 0, [0]))))).toBe(2)
  })

  it('refuses a tool result that changes more than its content', () => {
    expect(problem(fileOf(log(result('c'), replacing(result('c', 'x', { meta: 1 }), 0, 0, [0]))))).toBe(invalid(3))
  })

  it('refuses a source that is not earlier', () => {
    expect(problem(fileOf(log(delta('a'), { ...assistant('a'), sourceEventSeqs: [1] })))).toBe(invalid(3))
  })
})
