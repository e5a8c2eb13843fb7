import fc from 'fast-check'
import { decodeStorageRecord, packChunkRuns, type StorageRecord } from 'idb-sessions/log'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../lib/log/event.js'
import { acceptedLog, assistant, chunk, delta, type Draft, log, realLog, T0, toolDelta } from './support.js'

const types = (...drafts: Draft[]): string[] => packChunkRuns(log(drafts)).map(({ type }) => type)
const unpack = (records: readonly StorageRecord[]): SessionEvent[] => records.flatMap(decodeStorageRecord)
const CHUNK = 'assistant/chunk'

describe('a run of deltas', () => {
  it('of three becomes a row', () => {
    expect(JSON.stringify(packChunkRuns(log(delta('I '), delta('will '), delta('look.'))))).toBe(
      `[{"type":"text-chunks","seq0":0,"time0":${T0},"data":{"turn":1,"step":1,"index":0,"dt":[10,10],` +
        '"texts":["I ","will ","look."]}}]',
    )
  })

  it('of two stays two events', () => {
    expect(types(delta('a'), delta('b'))).toEqual([CHUNK, CHUNK])
  })

  it('of reasoning becomes a row of reasoning', () => {
    const reasoning = chunk({ type: 'reasoning-delta', index: 0, text: 'hm' })
    expect(types(reasoning, reasoning, reasoning)).toEqual(['reasoning-chunks'])
  })

  it('of a call becomes a row with its id, and its name if every one has it', () => {
    const [row] = packChunkRuns(log(toolDelta('{', 'ls'), toolDelta('"a"', 'ls'), toolDelta('}', 'ls')))
    expect(JSON.stringify(row)).toContain('"index":0,"dt":[10,10],"id":"c","name":"ls","args":["{","\\"a\\"","}"]')
  })

  it('whose first alone has the name leaves that one out', () => {
    expect(types(toolDelta('', 'ls'), toolDelta('a'), toolDelta('b'), toolDelta('c'))).toEqual([
      CHUNK,
      'tool-call-chunks',
    ])
  })

  it('may go back in time', () => {
    const [row] = packChunkRuns(log([10, 11, 9].map((time) => ({ ...delta('a'), time }))))
    expect(row).toHaveProperty('data.dt', [1, -2])
  })

  const breaks: [string, Draft | ((event: SessionEvent) => object)][] = [
    ['another index', delta('c', 1)],
    ['another kind', chunk({ type: 'reasoning-delta', index: 0, text: 'c' })],
    ['another step', chunk({ type: 'text-delta', index: 0, text: 'c' }, { turn: 1, step: 2 })],
    ['another turn', chunk({ type: 'text-delta', index: 0, text: 'c' }, { turn: 2, step: 1 })],
    ['another type of event', assistant('c')],
    ['another kind of chunk', chunk({ type: 'usage', usage: {} })],
    ['a field more in its chunk', chunk({ type: 'text-delta', index: 0, text: 'c', extra: 1 })],
    ['a field more in its data', chunk({ type: 'text-delta', index: 0, text: 'c' }, { turn: 1, step: 1, extra: 1 })],
    ['a field more in its envelope', { ...delta('c'), ignorable: true }],
    ['a text that is no string', chunk({ type: 'text-delta', index: 0, text: 5 })],
    ['a turn that is no number', chunk({ type: 'text-delta', index: 0, text: 'c' }, { turn: '1', step: 1 })],
    ['a gap in seq', (event) => ({ ...event, seq: 9 })],
    ['a fraction of a millisecond', (event) => ({ ...event, time: event.time + 0.5 })],
    ['a gap in time that is no safe integer', (event) => ({ ...event, time: -Number.MAX_SAFE_INTEGER })],
  ]
  it.each(breaks)('ends before %s', (_name, last) => {
    const events =
      typeof last === 'function'
        ? log(delta('a'), delta('b'), delta('c')).map((event, k) => (k === 2 ? last(event) : event))
        : log(delta('a'), delta('b'), last)
    expect(packChunkRuns(events as SessionEvent[])).toEqual(events)
  })

  it.each([
    ['another id', { id: 'd', argumentsDelta: 'c' }],
    ['another name', { id: 'c', name: 'cat', argumentsDelta: 'c' }],
    ['no name', { id: 'c', argumentsDelta: 'c' }],
  ])('of a call ends before %s', (_name, fields) => {
    const other = chunk({ type: 'tool-call-delta', index: 0, ...fields })
    expect(types(toolDelta('a', 'ls'), toolDelta('b', 'ls'), other)).toEqual([CHUNK, CHUNK, CHUNK])
  })

  it('whose times are no integers is not packed', () => {
    const events = log([0.5, 1.5, 2.5].map((time) => ({ ...delta('a'), time })))
    expect(packChunkRuns(events)).toEqual(events)
  })
})

describe('packing', () => {
  it.each([-1, -3, 2 ** 53])('leaves events alone whose seqs, from %i on, no row may have', (first) => {
    const events = log(delta('a'), delta('b'), delta('c')).map((event, k) => ({ ...event, seq: first + k }))
    expect(packChunkRuns(events)[0]).toEqual(events[0])
  })

  it('loses nothing of any log', () => {
    fc.assert(
      fc.property(fc.oneof(realLog, acceptedLog), (events) => {
        expect(unpack(JSON.parse(JSON.stringify(packChunkRuns(events))) as StorageRecord[])).toStrictEqual(events)
      }),
    )
  })

  it('loses nothing where a run is cut', () => {
    fc.assert(
      fc.property(realLog, fc.nat(), (events, at) => {
        const cut = at % (events.length + 1)
        const records = [...packChunkRuns(events.slice(0, cut)), ...packChunkRuns(events.slice(cut))]
        expect(unpack(records)).toStrictEqual(events)
      }),
    )
  })

  it('of a run of 200,000 gives one row', () => {
    const run = log(Array.from({ length: 200_000 }, () => delta('a')))
    expect(packChunkRuns(run)).toHaveLength(1)
  })
})

const row = (fields: object = {}, data: object = {}): unknown => ({
  type: 'text-chunks',
  seq0: 3,
  time0: 10,
  data: { turn: 1, step: 2, index: 0, dt: [1, -2], texts: ['a', 'b', 'c'], ...data },
  ...fields,
})
const toolRow = (data: object = {}): unknown => ({
  ...(row() as object),
  type: 'tool-call-chunks',
  data: { turn: 1, step: 2, index: 0, dt: [1], id: 'c', args: ['a', 'b'], ...data },
})

describe('a row', () => {
  it('gives events with the keys in order', () => {
    expect(JSON.stringify(decodeStorageRecord(toolRow({ name: 'ls' }))[1])).toBe(
      '{"type":"assistant/chunk","seq":4,"time":11,"data":{"turn":1,"step":2,"chunk":' +
        '{"type":"tool-call-delta","index":0,"id":"c","name":"ls","argumentsDelta":"b"}}}',
    )
  })

  it('gives each member its time', () => {
    expect(decodeStorageRecord(row()).map(({ time }) => time)).toEqual([10, 11, 9])
  })

  it.each([1, 2])('of %i is read, though never written', (members) => {
    const texts = ['a', 'b'].slice(0, members)
    expect(decodeStorageRecord(row({}, { texts, dt: texts.slice(1).map(() => 1) }))).toHaveLength(members)
  })

  it.each<[string, unknown]>([
    ['a key more', row({ extra: 1 })],
    ['no time0', row({ time0: undefined })],
    ['a seq0 below 0', row({ seq0: -1 })],
    ['a seq past the safe integers', row({ seq0: Number.MAX_SAFE_INTEGER - 1 })],
    ['a time0 with a fraction', row({ time0: 0.5 })],
    ['a time past the safe integers', row({ time0: Number.MAX_SAFE_INTEGER }, { dt: [1, -1] })],
    ['data null', row({ data: null })],
    ['a key more in its data', row({}, { extra: 1 })],
    ['a name beside texts', row({}, { name: 'ls' })],
    ['a turn that is no number', row({}, { turn: '1' })],
    ['no members', row({}, { dt: [], texts: [] })],
    ['a member that is no string', row({}, { texts: ['a', 'b', 5] })],
    ['texts that are no array', row({}, { texts: 'abc' })],
    ['a gap too few', row({}, { dt: [1] })],
    ['a gap too many', row({}, { dt: [1, 1, 1] })],
    ['a gap with a fraction', row({}, { dt: [1, 0.5] })],
    ['no id', toolRow({ id: undefined })],
    ['a name that is no string', toolRow({ name: null })],
    ['texts instead of args', toolRow({ args: undefined, texts: ['a', 'b'] })],
  ])('with %s is malformed', (_name, value) => {
    expect(() => decodeStorageRecord(JSON.parse(JSON.stringify(value)))).toThrow(/^malformed \S+-chunks row: /)
  })

  it('may end at the last safe seq', () => {
    expect(decodeStorageRecord(row({ seq0: Number.MAX_SAFE_INTEGER - 2 })).at(-1)?.seq).toBe(Number.MAX_SAFE_INTEGER)
  })
})

describe('any other value', () => {
  it.each([null, 5, 'text-chunks', [], {}, { type: 'my/event' }])('passes through: %j', (value) => {
    expect(decodeStorageRecord(value)).toEqual([value])
  })
})
