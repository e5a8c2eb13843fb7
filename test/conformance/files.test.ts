/** `spec` 11 I: session files. */
import { describe, expect, test } from 'vitest'
import { decodeStorageRecord, packChunkRuns } from 'idb-sessions/log'
import { chunk, delta, end, fileOf, log, start, title, toolDelta, turn, type Draft } from '../log/support.js'
import { page } from '../support/lifetime.js'
import { exported, live } from './support.js'

const packed = (...drafts: Draft[]): string[] => packChunkRuns(log(...drafts)).map(({ type }) => type)
const text = (...lines: (object | string)[]): string => new TextDecoder().decode(fileOf(lines))
const EVENTS = log(turn(1), turn(2))

const CHUNK = 'assistant/chunk'
const ROW = 'text-chunks'

describe('a run of deltas', () => {
  test('of two is two lines (case 95)', () => {
    expect(packed(delta('a'), delta('b'))).toEqual([CHUNK, CHUNK])
  })

  test('of three is one row (case 95)', () => {
    expect(packed(delta('a'), delta('b'), delta('c'))).toEqual([ROW])
  })

  test.each([
    ['index', delta('x', 1)],
    ['kind', chunk({ type: 'reasoning-delta', index: 0, text: 'x' })],
    ['step', chunk({ type: 'text-delta', index: 0, text: 'x' }, { turn: 1, step: 2 })],
  ])('is split where the %s changes (case 95)', (_, other) => {
    expect(packed(delta('a'), delta('b'), delta('c'), other)).toEqual([ROW, CHUNK])
  })

  test('is split where a seq is missing (case 95)', () => {
    const events = log(...Array.from({ length: 7 }, () => delta('x'))).filter(({ seq }) => seq !== 3)
    expect(packChunkRuns(events).map(({ type }) => type)).toEqual([ROW, ROW])
  })

  test('of a call whose first alone has the name leaves that one out (case 95)', () => {
    expect(packed(toolDelta('', 'ls'), toolDelta('a'), toolDelta('b'), toolDelta('c'))).toEqual([
      CHUNK,
      'tool-call-chunks',
    ])
  })

  test('goes back in time where a gap is negative (case 96)', () => {
    const data = { turn: 1, step: 1, index: 0, dt: [1, -2], texts: ['a', 'b', 'c'] }
    const events = decodeStorageRecord({ type: ROW, seq0: 0, time0: 10, data })
    expect(events.map(({ time }) => time)).toEqual([10, 11, 9])
  })
})

describe('a line of garbage', () => {
  test('is a torn tail when no turn/end follows, and is reported where DSH says nothing (case 98, differs)', async () => {
    const { store } = await page()
    const report = await store.importLog(text(...EVENTS, 'garbage', title('t')))
    expect(report).toMatchObject({ session: { length: 6 }, dropped: { line: 8 } })
  })

  test('makes the file corrupt when any turn/end follows (case 98)', async () => {
    const { store } = await page()
    const file = text(...EVENTS.slice(0, 3), 'garbage', ...EVENTS.slice(3))
    await expect(store.importLog(file)).rejects.toMatchObject({ code: 'INVALID_LOG', line: 5 })
  })

  test('may be a blank one (case 99)', async () => {
    const { store } = await page()
    const file = text(...EVENTS.slice(0, 3), '', ...EVENTS.slice(3))
    await expect(store.importLog(file)).rejects.toMatchObject({ code: 'INVALID_LOG', line: 5 })
  })
})

test('lines may end in CR LF (case 99)', async () => {
  const { store } = await page()
  await store.importLog(text(...EVENTS).replaceAll('\n', '\r\n'))
  expect((await store.load('s')).events).toEqual(EVENTS)
})

test('a byte order mark makes the header none (case 99)', async () => {
  const { store } = await page()
  const file = `\uFEFF${text(...EVENTS)}`
  await expect(store.importLog(file)).rejects.toMatchObject({ code: 'INVALID_LOG', line: 1 })
})

test('a header without delegationDepth is none (case 100)', async () => {
  const { store } = await page()
  const file = text(...EVENTS).replace(',"delegationDepth":0', '')
  await expect(store.importLog(file)).rejects.toMatchObject({ code: 'INVALID_LOG', line: 1 })
})

test('an unknown key of a header is dropped (case 100)', async () => {
  const { store } = await page()
  const { session } = await store.importLog(text(...EVENTS).replace('"id"', '"unknown":1,"id"'))
  expect(session.header).toEqual({ version: 0, id: 's', createdAt: 1, delegationDepth: 0 })
})

test('a compressed file is recognised and refused, where DSH reads it (case 103, differs)', async () => {
  const { store } = await page()
  const file = new Blob([new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0xa0])])
  await expect(store.importLog(file)).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED' })
})

describe('what was exported', () => {
  test('gives the same events when it is imported (case 104)', async () => {
    const [from, to] = [await live([start(1), delta('a'), delta('b'), delta('c'), end(1)]), await page()]
    await to.store.importLog(await exported(from.store, 'a'))
    expect((await to.store.load('a')).events).toEqual(from.session.events)
  })

  test('has a delegationDepth of 0, which its live header has not (case 104)', async () => {
    const [from, to] = [await live([start(1)]), await page()]
    const { session } = await to.store.importLog(await exported(from.store, 'a'))
    expect([from.session.header.delegationDepth, session.header.delegationDepth]).toEqual([undefined, 0])
  })
})
