/** `spec` 11 H: what is stored, when, and what comes back. */
import { describe, expect, test } from 'vitest'
import { delta, end, fileOf, log, start, turn } from '../log/support.js'
import { noRoom, watchCalls } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { allRecords } from '../support/records.js'
import { append, expectRefused, exported, live, types } from './support.js'

const text = (...lines: (object | string)[]): string => new TextDecoder().decode(fileOf(lines))

describe('a session that never got an event', () => {
  test('is not listed (case 84)', async () => {
    const { store } = await live()
    expect(await store.stored()).toEqual([])
  })

  test('cannot be loaded elsewhere (case 84)', async () => {
    const { opened } = await live()
    await expect((await tab(opened)).store.load('a')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})

test('a seq is not the caller’s to give, so none is wrong (case 85, differs)', async () => {
  const { session } = await live([start(1)])
  expect(append(session, { ...end(1), seq: 9 } as never).seq).toBe(1)
})

test('an unknown type is refused at once, where DSH stores what it cannot load (case 85, differs)', async () => {
  const { session } = await live()
  expectRefused(session, { type: 'unknown/type', data: {} })
})

test('a file with an unknown type is refused (case 85)', async () => {
  const { store } = await page()
  const file = text(...log({ type: 'unknown/type', data: {} }))
  await expect(store.importLog(file)).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED', line: 2 })
})

test('an unknown type that is ignorable is kept (case 86)', async () => {
  const { store } = await page()
  const events = log({ type: 'unknown/type', data: { x: 1 }, ignorable: true })
  await store.importLog(text(...events))
  expect((await store.load('s')).events).toEqual(events)
})

test('version 1 is another format, whatever the rest of the file is (case 87)', async () => {
  const { store } = await page()
  const file = '{"type":"session","version":1}\ngarbage\n'
  await expect(store.importLog(file)).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED' })
})

test('version "0" is no header (case 87)', async () => {
  const { store } = await page()
  const file = '{"type":"session","version":"0","id":"s","createdAt":1,"delegationDepth":0}\n'
  await expect(store.importLog(file)).rejects.toMatchObject({ code: 'INVALID_LOG', line: 1 })
})

describe('a log that a crash left open', () => {
  async function crashed() {
    const { opened, store, session } = await live([start(1)])
    await store.flush(session)
    opened.crash()
    return tab(opened, { rules: 'harness' })
  }

  test('is balanced for who inspects it (case 88)', async () => {
    const { store } = await crashed()
    expect(types(await store.inspect('a'))).toEqual(['turn/start', 'turn/end'])
  })

  test('is as it was after an inspect (case 88)', async () => {
    const { store, name } = await crashed()
    const before = await allRecords(name)
    await store.inspect('a')
    expect(await allRecords(name)).toEqual(before)
  })

  test('is closed in storage by a load (case 88)', async () => {
    const opened = await crashed()
    await opened.store.load('a')
    const closed = await (await tab(opened)).store.inspect('a')
    expect(types(closed)).toEqual(['turn/start', 'turn/end', 'session/end-seed'])
  })
})

describe('of a live session with an open turn', () => {
  test('load gives the session itself, where DSH refuses (case 89, differs)', async () => {
    const { store, session } = await live([start(1)])
    expect(await store.load('a')).toBe(session)
  })

  test('inspect gives the events as they are (case 89)', async () => {
    const { store, session } = await live([start(1)])
    expect((await store.inspect('a')).events).toBe(session.events)
  })
})

test('chunks that come one after another are stored as one batch; here chunks alone wait (case 90, differs)', async () => {
  const { opened, store, session } = await live([start(1)])
  await store.flush(session)
  const calls = watchCalls(opened)
  append(session, delta('first'))
  append(session, delta('second'))
  await expect.poll(() => session.durable).toBe(3)
  expect(calls.filter((name) => name === 'append')).toHaveLength(1)
})

test('after a failure the whole prefix is stored, once (case 90)', async () => {
  const { opened, store, session } = await live()
  const makeRoom = noRoom(opened, 'append')
  append(session, start(1))
  await expect(store.flush(session)).rejects.toMatchObject({ code: 'STORAGE_FULL' })
  append(session, end(1))
  makeRoom()
  await store.flush(session)
  expect((await (await tab(opened)).store.inspect('a')).events).toEqual(session.events)
})

test('the fork of an empty session is stored at once, the session itself is not (case 91)', async () => {
  const { store, session } = await live()
  await store.fork(session, undefined, 'b')
  expect((await store.stored()).map(({ header, length }) => [header.id, length])).toEqual([['b', 1]])
})

test('loaded twice without work, a log grows by one marker in all (case 92)', async () => {
  const { store } = await page({ rules: 'harness' })
  await store.importLog(text(...log(turn(1))))
  await store.release(await store.load('s'))
  expect(types(await store.load('s'))).toEqual([...types({ events: log(turn(1)) }), 'session/end-seed'])
})

describe('an old user message without id', () => {
  const data = { content: [{ type: 'text', text: 'x' }], source: { kind: 'user' } }
  const file = text(...log(start(1), { type: 'user/message', data, surfaceOp: 'append' }, end(1)))

  test('gets the one that names its session and seq, once, at import (case 94, differs: DSH upgrades at each load)', async () => {
    const { store } = await page()
    await store.importLog(file)
    expect((await store.load('s')).messages[0]!.id).toBe('legacy-message:s:1')
  })

  test('keeps its id over reloads (case 94)', async () => {
    const opened = await page()
    await opened.store.importLog(file)
    await opened.store.release(await opened.store.load('s'))
    expect((await (await tab(opened)).store.load('s')).messages[0]!.id).toBe('legacy-message:s:1')
  })

  test('is exported as it came (case 94)', async () => {
    const { store } = await page()
    await store.importLog(file)
    expect(await exported(store, 's')).toBe(file)
  })
})
