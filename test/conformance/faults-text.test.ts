/** Faults that real products had (`faults.md`), and inputs that would show them here: lines, characters and assumed shapes. */
import { describe, expect, test } from 'vitest'
import { interruptedTurnClosers } from 'idb-sessions'
import {
  assistant,
  HEADER_LINE,
  log,
  start,
  stepStart,
  title,
  toolCall,
  turn,
  user,
  type Draft,
} from '../log/support.js'
import { page } from '../support/lifetime.js'
import { append, expectRefused, exported, live, reread, types } from './support.js'

describe('line tolerance without reporting (fault 60)', () => {
  const LINES = [HEADER_LINE, ...log(turn(1), turn(2)).map((event) => JSON.stringify(event))]

  /** What becomes of one line, or of two that follow each other. */
  const damages: [name: string, takes: 1 | 2, make: (line: string, next: string) => string[]][] = [
    ['a truncated line', 1, (line) => [line.slice(0, 20)]],
    ['a line of NUL bytes', 1, (line) => ['\0'.repeat(line.length)]],
    ['a raw newline inside a record', 1, (line) => [line.slice(0, 20), line.slice(20)]],
    ['two records on one line', 2, (line, next) => [line + next]],
    ['a torn record that swallows the next one', 2, (line, next) => [line.slice(0, 20) + next]],
  ]

  describe.each(damages)('%s', (_name, takes, make) => {
    /** The file with the damage at this line, 1-based. */
    const damaged = (at: number): string =>
      [...LINES.slice(0, at - 1), ...make(LINES[at - 1]!, LINES[at]!), ...LINES.slice(at - 1 + takes), ''].join('\n')

    test.each([
      ['in the header', 1],
      ['at the start', 2],
      ['in the middle', 4],
    ])('%s is refused, and its line named', async (_, at) => {
      const { store } = await page()
      await expect(store.importLog(damaged(at))).rejects.toMatchObject({ code: 'INVALID_LOG', line: at })
    })

    test('at the end is left out, its line named, and all before it kept', async () => {
      const { store } = await page()
      const at = LINES.length + 1 - takes
      const report = await store.importLog(damaged(at))
      expect(report).toMatchObject({ session: { length: at - 2 }, dropped: { line: at } })
    })
  })
})

describe('cut between code units, raw where it should be escaped (fault 61)', () => {
  const TEXTS = [
    'line\u2028and\u2029paragraph',
    'high \uD83D alone',
    'low \uDE00 alone',
    'nul \u0000',
    '\uFEFFmark first',
  ]
  const said = (text: string): Draft => ({
    ...user('x'),
    data: { ...(user('x').data as object), content: [{ type: 'text', text }] },
  })

  test.each(TEXTS)('the log keeps %j as it is', async (text) => {
    const { opened, store, session } = await live([said(text), title(text)])
    await store.flush(session)
    expect((await reread(opened, 'a')).slice(0, 2)).toEqual(session.events)
  })

  test.each(TEXTS)('a file keeps %j as it is', async (text) => {
    const { store, session } = await live([said(text), title(text)])
    await store.importLog(await exported(store, 'a'), { id: 'b' })
    expect((await store.load('b')).slice(0, 2)).toEqual(session.events)
  })

  test.each(TEXTS)('a file with %j has one line for each event', async (text) => {
    const { store } = await live([said(text), title(text)])
    expect((await exported(store, 'a')).split('\n')).toHaveLength(4)
  })

  test.each([998, 999, 1000, 1001])('a title is not cut inside a character that begins at %s', async (place) => {
    const { store, session } = await live([title(`${'x'.repeat(place)}\u{1F600} and more`)])
    await store.flush(session)
    expect((await store.stored())[0]!.title).not.toMatch(/\p{Surrogate}/u)
  })

  test.each(TEXTS)('a title made of %j is listed as well-formed text', async (text) => {
    const { store, session } = await live([title(text)])
    await store.flush(session)
    expect((await store.stored())[0]!.title).not.toMatch(/\p{Surrogate}/u)
  })
})

describe('assumed shapes, names looked up on plain objects (fault 62)', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

  test.each(NAMES)('a key %s of data is a key as any other', async (name) => {
    const data: unknown = JSON.parse(`{"todos":[],"${name}":{"polluted":true}}`)
    const { opened, store, session } = await live([{ type: 'todo/write', data }])
    await store.flush(session)
    expect(JSON.stringify((await reread(opened, 'a')).at(0)!.data)).toBe(JSON.stringify(data))
  })

  test('a key __proto__ of data changes no prototype', async () => {
    const { session } = await live([{ type: 'todo/write', data: JSON.parse('{"__proto__":{"polluted":true}}') }])
    expect(Object.getPrototypeOf(session.at(0)!.data)).toBe(Object.prototype)
  })

  test.each(NAMES)('a session may be called %s: stored, forked, loaded and deleted', async (name) => {
    const { opened, store } = await live()
    await store.create(name, { seed: log(turn(1)) })
    expect((await store.fork(name, 2)).header.parentSession).toBe(name)
    expect((await reread(opened, name)).id).toBe(name)
    expect(await store.delete(name)).toEqual([{ id: name, outcome: 'deleted' }])
  })

  test.each(NAMES)('a session that is called %s is there only when it was made', async (name) => {
    const { store } = await live()
    expect(store.get(name)).toBeUndefined()
    await expect(store.load(name)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  test.each(NAMES)('a type %s is unknown', async (name) => {
    const { session } = await live()
    expectRefused(session, { type: name, data: {} })
  })

  test.each(NAMES)('a tool call may be called %s, and is closed', (name) => {
    const closers = interruptedTurnClosers(log(start(1), stepStart(1, 1), assistant([toolCall(name)])))
    expect(closers[0]).toMatchObject({ data: { message: { source: { callId: name } } } })
  })

  test('an unknown type that is ignorable is kept in a file', async () => {
    const { store } = await page()
    await store.importLog(`${HEADER_LINE}\n{"type":"plugin/own","seq":0,"time":1,"data":{"x":1},"ignorable":true}\n`)
    expect(types(await store.load('s'))).toEqual(['plugin/own'])
  })

  test('an unknown type that is not ignorable is refused before it is stored', async () => {
    const { store } = await page()
    const imported = store.importLog(`${HEADER_LINE}\n{"type":"plugin/own","seq":0,"time":1,"data":{"x":1}}\n`)
    await expect(imported).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED', line: 2 })
  })

  test('a field that no reader knows is refused before it is stored', async () => {
    const { store } = await page()
    const imported = store.importLog(
      `${HEADER_LINE}\n{"type":"turn/start","seq":0,"time":1,"data":{"turn":1},"own":1}\n`,
    )
    await expect(imported).rejects.toMatchObject({ code: 'INVALID_LOG', line: 2 })
  })

  test('a message whose content is null is refused', async () => {
    const { session } = await live()
    expectRefused(session, { ...user('x'), data: { ...(user('x').data as object), content: null } })
  })

  test('a block that is null keeps nobody from closing, listing and forking', async () => {
    const { opened, store, session } = await live([start(1), stepStart(1, 1), assistant([null, toolCall('c')])])
    await store.release(session)
    const closed = await reread(opened, 'a')
    expect((await store.fork('a', closed.seq - 1)).messages).toEqual(closed.messages)
  })

  test.each([[null], ['text'], [7], [[]]])('a turn whose data is %j is a turn', async (data) => {
    const { store, session } = await live([
      { type: 'turn/start', data },
      { type: 'turn/end', data },
    ])
    expect((await store.fork(session, 1)).header.seedLength).toBe(2)
  })

  test('a title whose data is null is none', async () => {
    const { store, session } = await live([{ type: 'session/title', data: null }])
    await store.flush(session)
    expect((await store.stored())[0]).not.toHaveProperty('title')
  })

  test('an append of null is refused out loud', async () => {
    const { session } = await live()
    expect(() => append(session, { type: null as never, data: null })).toThrow(
      expect.objectContaining({ code: 'INVALID_EVENT' }),
    )
  })
})
