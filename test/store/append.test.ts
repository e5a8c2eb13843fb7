import { describe, expect, test, vi } from 'vitest'
import { append, INVALID, open } from '../support/append.js'
import { tab } from '../support/lifetime.js'
import { appendTurn, user as userMessage } from '../support/logs.js'

describe('append', () => {
  test('is synchronous: the event is in the log when it returns', async () => {
    const { session } = await open()
    const event = session.append('turn/start', { turn: 1 })
    expect(session.events).toEqual([event])
    expect(session.seq).toBe(1)
  })

  test('returns the logged object itself', async () => {
    const { session } = await open()
    const event = session.append('turn/start', { turn: 1 })
    expect(session.at(0)).toBe(event)
    expect(session.events[0]).toBe(event)
  })

  test('fills in seq and time', async () => {
    const { session } = await open()
    session.append('turn/start', { turn: 1 })
    const before = Date.now()
    const event = session.append('turn/end', { turn: 1, reason: { kind: 'completed' } })
    expect(event).toEqual({
      type: 'turn/end',
      seq: 1,
      time: event.time,
      data: { turn: 1, reason: { kind: 'completed' } },
    })
    expect(event.time).toBeGreaterThanOrEqual(before)
    expect(event.time).toBeLessThanOrEqual(Date.now())
  })

  test('gives a deeply frozen event', async () => {
    const { session } = await open()
    const event = session.append('user/message', userMessage('hi'), { surfaceOp: 'append' })
    expect(() => ((event as { seq: number }).seq = 5)).toThrow(TypeError)
    expect(() => event.data.content.push({ type: 'text', text: 'more' })).toThrow(TypeError)
    expect(Object.isFrozen(event.data.content[0])).toBe(true)
  })

  test('copies: what happens to the input afterwards has no effect', async () => {
    const { session } = await open()
    const message = userMessage('hi')
    const sources = [0]
    session.append('turn/start', { turn: 1 })
    session.append('user/message', message, { surfaceOp: 'append', sourceEventSeqs: sources })
    message.content.push({ type: 'text', text: 'more' })
    sources.push(1)
    expect(session.at(1)).toMatchObject({ data: { content: [{ text: 'hi' }] }, sourceEventSeqs: [0] })
    expect(session.at(1)).not.toMatchObject({ data: { content: [{}, {}] } })
    expect(Object.isFrozen(message)).toBe(false)
  })

  test('reads the input once: a getter cannot show the check one value and the log another', async () => {
    const { session } = await open()
    let reads = 0
    append(session, 'todo/write', {
      get todos() {
        reads++
        return []
      },
    })
    expect(reads).toBe(1)
  })

  test('ignores options that it does not know', async () => {
    const { session } = await open()
    append(session, 'turn/start', { turn: 1 }, { other: true })
    expect(Object.keys(session.at(0)!)).toEqual(['type', 'seq', 'time', 'data'])
  })

  test('is stored by itself', async () => {
    const opened = await open()
    appendTurn(opened.session, 'hi', 'hello')
    await vi.waitFor(() => expect(opened.session.durable).toBe(opened.session.seq))
    expect((await (await tab(opened)).store.inspect('a')).events).toEqual(opened.session.events)
  })

  test('of streamed chunks alone is stored by itself too', async () => {
    const { session } = await open()
    const chunk = { type: 'text-delta', index: 0, text: 'a' } as const
    for (let i = 0; i < 3; i++) session.append('assistant/chunk', { turn: 1, step: 1, chunk })
    await vi.waitFor(() => expect(session.durable).toBe(3))
  })
})

describe('what is appended comes back from storage as it was', () => {
  const odd = {
    ['__proto__']: { polluted: true },
    '': ['\u0000', '\ud800', '\udc00x', '\u{1f600}', '\u2028', '\ufeff', '"\\\n'],
    numbers: [0, 1e21, -1e-7, 0.1, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE, 5e-324],
    constructor: null,
  }
  const own = { eventTypes: ['my/own'] }
  test.each<[string, unknown]>([
    ['odd keys, strings and numbers', odd],
    ['one large string', 'x\u20ac'.repeat(1_000_000)],
    ['many small values', Array.from({ length: 100_000 }, (_, i) => i)],
    ['null', null],
    ['an empty object', {}],
  ])('%s', async (_, data) => {
    const opened = await open(own)
    const event = append(opened.session, 'my/own', data)
    await opened.store.flush(opened.session)
    const other = await tab(opened, own)
    const { events } = await other.store.inspect('a')
    expect(JSON.stringify(events)).toBe(JSON.stringify([event]))
    const { session } = await other.store.importLog(await other.store.exportLog('a'), { id: 'b' })
    expect(session.length).toBe(1)
    expect(JSON.stringify((await other.store.inspect('b')).events)).toBe(JSON.stringify([event]))
  })

  test('several megabytes in one breath', async () => {
    const opened = await open(own)
    for (let i = 0; i < 6; i++) append(opened.session, 'my/own', `${i}`.repeat(1_000_000))
    await opened.store.flush(opened.session)
    expect((await (await tab(opened)).store.inspect('a')).events).toEqual(opened.session.events)
  })

  test('ten thousand events in one breath', async () => {
    const opened = await open()
    for (let i = 0; i < 1000; i++) appendTurn(opened.session, `prompt ${i}`, 'answer', 4)
    await opened.store.flush(opened.session)
    expect((await (await tab(opened)).store.inspect('a')).events).toEqual(opened.session.events)
  })
})

describe("the application's own event types", () => {
  test('are stored as ignorable', async () => {
    const opened = await open({ eventTypes: ['my/own'] })
    const event = append(opened.session, 'my/own', { n: 1 })
    expect(event).toMatchObject({ type: 'my/own', data: { n: 1 }, ignorable: true })
    await opened.store.flush(opened.session)
    const stranger = await tab(opened)
    expect((await stranger.store.inspect('a')).events).toEqual([event])
  })

  test('may be named like known ones, which stay what they are', async () => {
    const { session } = await open({ eventTypes: ['turn/start'] })
    expect(session.append('turn/start', { turn: 1 })).not.toHaveProperty('ignorable')
  })

  test('take no surface intent', async () => {
    const { session } = await open({ eventTypes: ['my/own'] })
    expect(() => append(session, 'my/own', {}, { surfaceOp: 'append' })).toThrow(expect.objectContaining(INVALID))
  })
})

test("the application's own reason of a turn's end is kept as it is", async () => {
  const opened = await open()
  const reason = { kind: 'my/bored', after: 3 }
  opened.session.append('turn/start', { turn: 1 })
  append(opened.session, 'turn/end', { turn: 1, reason })
  await opened.store.flush(opened.session)
  const stranger = await tab(opened)
  expect((await stranger.store.inspect('a')).events[1]).toMatchObject({ data: { reason } })
})

describe('from inside a listener of session/event', () => {
  test('an append to the same session is refused', async () => {
    const { store, session } = await open()
    const thrown = vi.fn()
    store.on('session/event', () => {
      try {
        session.append('turn/end', { turn: 1, reason: { kind: 'completed' } })
      } catch (error) {
        thrown(error)
      }
    })
    session.append('turn/start', { turn: 1 })
    expect(thrown).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(INVALID))
    expect(session.seq).toBe(1)
  })

  test('an append to another session is fine', async () => {
    const { store, session } = await open()
    const audit = await store.create('audit')
    store.on('session/event', (from) => {
      if (from === session) audit.append('turn/start', { turn: 1 })
    })
    session.append('turn/start', { turn: 1 })
    expect(audit.seq).toBe(1)
  })
})
