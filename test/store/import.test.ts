import { describe, expect, test, vi } from 'vitest'
import type { ImportSource } from 'idb-sessions'
import { bytesOf, delta, fileOf, HEADER_LINE, log, start, turn, user } from '../log/support.js'
import { make } from '../support/behind.js'
import { beforeCall, gate } from '../support/calls.js'
import { large, streamOf } from '../support/files.js'
import { page, tab } from '../support/lifetime.js'
import { countRecords, hasLocks } from '../support/page.js'
import { NOTHING } from '../support/records.js'

const EVENTS = log(turn(1), start(2), user('x'))
const FILE = fileOf(EVENTS)
const TEXT = new TextDecoder().decode(FILE)

describe('a source', () => {
  test.each<[string, ImportSource]>([
    ['a string', TEXT],
    ['a Blob', new Blob([TEXT])],
    ['a stream', streamOf(FILE, FILE.byteLength)],
    ['a stream of single bytes', streamOf(FILE, 1)],
    ['a stream of pieces that cut lines', streamOf(FILE, 37)],
  ])('may be %s', async (_, source) => {
    const { store } = await page()
    const { session } = await store.importLog(source)
    expect(session).toMatchObject({ header: { id: 's' }, length: 5, own: 5, openTurn: true, writer: 'none' })
    expect((await store.inspect('s')).events.slice(0, 5)).toEqual(EVENTS)
  })

  test.each([undefined, null, 7, {}, FILE.buffer])('%s is none', async (source) => {
    const { store } = await page()
    await expect(store.importLog(source as never)).rejects.toThrow(TypeError)
  })

  test('of other things than bytes is refused, and cancelled', async () => {
    const { store, name } = await page()
    const cancel = vi.fn()
    const source = new ReadableStream<string>({ start: (controller) => controller.enqueue('text'), cancel })
    await expect(store.importLog(source as never)).rejects.toThrow(TypeError)
    expect(cancel).toHaveBeenCalled()
    expect(await countRecords(name)).toEqual(NOTHING)
  })

  test('that fails rejects with its own error, and nothing is kept', async () => {
    const { store, name } = await page()
    const whole = large()
    let at = 0
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at > 2_000_000) controller.error(new RangeError('no more'))
        else controller.enqueue(whole.subarray(at, (at += 500_000)))
      },
    })
    await expect(store.importLog(source)).rejects.toThrow(new RangeError('no more'))
    await expect.poll(() => countRecords(name)).toEqual(NOTHING)
  })

  test('that is large is imported whole', async () => {
    const { store, name } = await page()
    const { session } = await store.importLog(streamOf(large(), 65_536))
    expect(session).toMatchObject({ length: 1800, openTurn: false })
    expect((await store.inspect('s')).events).toHaveLength(1800)
    expect(await countRecords(name)).toMatchObject({ sessions: 1, staging: 0 })
  })

  test('may be empty of events', async () => {
    const { store } = await page()
    expect((await store.importLog(`${HEADER_LINE}\n`)).session).toMatchObject({ length: 0 })
    expect((await store.load('s')).events).toEqual([])
  })

  test('may hold chunk rows', async () => {
    const { store } = await page()
    const row = {
      type: 'text-chunks',
      seq0: 1,
      time0: 5,
      data: { turn: 1, step: 1, index: 0, dt: [1, -2], texts: ['a', 'b', 'c'] },
    }
    const { session } = await store.importLog(new Blob([fileOf([log(start(1))[0]!, row]) as Uint8Array<ArrayBuffer>]))
    expect(session.length).toBe(4)
    expect((await store.inspect('s')).events.slice(1, 4).map(({ time }) => time)).toEqual([5, 6, 4])
  })
})

describe('the imported session', () => {
  test('has the id of the file, or the one that is given', async () => {
    const { store } = await page()
    expect((await store.importLog(TEXT)).session.header.id).toBe('s')
    expect((await store.importLog(TEXT, { id: 'b' })).session.header.id).toBe('b')
    expect((await store.stored()).map(({ header }) => header.id).sort()).toEqual(['b', 's'])
  })

  test('has the header of the file, without what no header holds', async () => {
    const { store } = await page()
    const header = {
      type: 'session',
      version: 0,
      id: 's',
      createdAt: 1,
      cwd: '/x',
      parentSession: 'p',
      seedLength: 1,
      origin: 'subagent',
      delegationDepth: 2,
      agentPreset: 'a',
    }
    const { session } = await store.importLog(`${JSON.stringify({ ...header, mine: 1 })}\n`)
    const { type: _, ...rest } = header
    expect(session.header).toEqual(rest)
  })

  test('is not live, and can be loaded, forked and exported', async () => {
    const { store } = await page()
    await store.importLog(TEXT)
    expect(store.list()).toEqual([])
    expect((await store.fork('s', 2)).events).toEqual(EVENTS.slice(0, 3))
    expect((await store.load('s')).turn.open).toBeUndefined()
  })

  test.each([7, null])('cannot be named %j', async (id) => {
    const { store } = await page()
    await expect(store.importLog(TEXT, { id: id as never })).rejects.toMatchObject({ code: 'INVALID_HEADER' })
  })
})

describe('an id that is taken', () => {
  test('by a live session is refused', async () => {
    const { store, name } = await page()
    await store.create('s')
    await expect(store.importLog(TEXT)).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS', sessionId: 's' })
    await expect.poll(() => countRecords(name)).toMatchObject({ sessions: 1, segments: 0, staging: 0 })
  })

  test('by a stored session is refused, and that one is as it was', async () => {
    const first = await page()
    await first.store.create('s', { seed: log(turn(1)) })
    const { store } = await tab(first)
    await expect(store.importLog(TEXT)).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS', sessionId: 's' })
    expect((await store.inspect('s')).events).toEqual(log(turn(1)))
  })

  test('is refused without reading a large file to its end', async () => {
    const { store } = await page()
    await store.create('s')
    const cancel = vi.fn()
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytesOf(`${HEADER_LINE}\n`)),
      cancel,
    })
    await expect(store.importLog(source)).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
    expect(cancel).toHaveBeenCalled()
  })

  test('by another tab on the way is refused, and nothing else is kept', async () => {
    const opened = await page()
    const other = await tab(opened)
    beforeCall(opened, 'importEnd', () => make(other, 's', []))
    await expect(opened.store.importLog(streamOf(large(), 100_000))).rejects.toMatchObject({
      code: 'SESSION_ALREADY_EXISTS',
    })
    await expect.poll(() => countRecords(opened.name)).toEqual({ ...NOTHING, sessions: 1 })
  })

  test('by a session that this page creates meanwhile: one of the two wins', async () => {
    const { store } = await page()
    const outcomes = await Promise.allSettled([store.importLog(TEXT), store.create('s', { seed: [] })])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await store.stored()).toHaveLength(1)
  })

  test('by a session that this page creates before the file ends is refused, and that session goes on', async () => {
    const { store } = await page()
    const { opened, open } = gate()
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(FILE.slice()),
      pull: async (controller) => {
        await opened
        controller.close()
      },
    })
    const imported = Promise.allSettled([store.importLog(source)])
    const session = await store.create('s')
    open()
    expect(await imported).toMatchObject([{ status: 'rejected', reason: { code: 'SESSION_ALREADY_EXISTS' } }])
    session.append('turn/start', { turn: 1 })
    expect(await store.flush(session)).toBe(true)
  })

  test.skipIf(hasLocks)('not by what another page only reserved (Node only: without Web Locks)', async () => {
    const first = await page()
    await first.store.create('s')
    const { store } = await tab(first)
    expect((await store.importLog(TEXT)).session.length).toBe(5)
  })
})

describe('a torn tail', () => {
  test('is left out, and reported with its first line', async () => {
    const { store } = await page()
    const { session, dropped } = await store.importLog(`${TEXT}{"type":"step/st`)
    expect(session.length).toBe(5)
    expect(dropped).toEqual({ line: 7, reason: expect.any(String) })
  })

  test('may be a line that is complete but for its newline', async () => {
    const { store } = await page()
    const { session, dropped } = await store.importLog(TEXT.slice(0, -1))
    expect(session.length).toBe(4)
    expect(dropped).toMatchObject({ line: 6 })
  })

  test('may be several lines, while no turn ends in them', async () => {
    const { store } = await page()
    const { session, dropped } = await store.importLog(`${TEXT}garbage\n${JSON.stringify(EVENTS[0])}\n`)
    expect(session.length).toBe(5)
    expect(dropped).toMatchObject({ line: 7 })
  })

  test('is absent from the report of a whole file', async () => {
    const { store } = await page()
    expect(await store.importLog(TEXT)).not.toHaveProperty('dropped')
  })
})

test('several imports at once do not mix', async () => {
  const { store } = await page()
  const files = ['a', 'b', 'c'].map((id, i) => ({
    id,
    events: log(turn(1), delta(id), ...Array.from({ length: i }, () => delta(id))),
  }))
  await Promise.all(files.map(({ id, events }) => store.importLog(streamOf(fileOf(events), 50), { id })))
  for (const { id, events } of files) expect((await store.inspect(id)).events).toEqual(events)
})
