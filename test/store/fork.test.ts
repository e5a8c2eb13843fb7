import { describe, expect, test, vi } from 'vitest'
import type { SessionEvent, TurnEndReason } from 'idb-sessions'
import { delta, end, endSeed, log, start, title, turn, user } from '../log/support.js'
import { beforeCall, gate, noRoom } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'
import { countRecords } from '../support/page.js'
import { allRecords } from '../support/records.js'

/** Turns end at 2 and 5. */
const TWO = log(turn(1), turn(2))

async function open(seed: SessionEvent[] = TWO, options?: Parameters<typeof page>[0]) {
  const opened = await page(options)
  return { ...opened, source: await opened.store.create('a', { seed, meta: { cwd: '/x' } }) }
}

describe('a fork', () => {
  test('holds the events up to the boundary, event for event', async () => {
    const { store, source } = await open()
    expect((await store.fork(source, 2)).events).toEqual(TWO.slice(0, 3))
    expect((await store.fork(source, 5)).events).toEqual(TWO)
  })

  test('is live, writable and stored when the promise resolves', async () => {
    const opened = await open()
    const child = await opened.store.fork(opened.source, 2, 'b')
    expect(opened.store.get('b')).toBe(child)
    expect(child).toMatchObject({ state: 'live', durable: 3, seq: 3, firstLiveSeq: 3 })
    expect((await (await tab(opened)).store.inspect('b')).events).toEqual(child.events)
    expect(appendTurn(child, 'other', 'way')).toBe(child.seq - 1)
  })

  test('gets a minted id unless one is given', async () => {
    const { store, source } = await open()
    expect((await store.fork(source)).id).toMatch(/^session-[0-9a-f-]{36}$/)
    expect((await store.fork(source, 2, 'b')).id).toBe('b')
  })

  test('goes its own way: neither side sees the other grow', async () => {
    const opened = await open()
    const { store, source } = opened
    const child = await store.fork(source, 2, 'b')
    appendTurn(child, 'child', 'c')
    appendTurn(source, 'source', 's')
    await Promise.all([store.flush(child), store.flush(source)])
    const other = await tab(opened)
    expect((await other.store.inspect('a')).events).toEqual(source.events)
    expect((await other.store.inspect('b')).events).toEqual(child.events)
    expect(child.at(3)).not.toEqual(source.at(3))
    expect(source.slice(0, 6)).toEqual(TWO)
  })

  test('inherits cwd alone in its header', async () => {
    const { store } = await page()
    const meta = { cwd: '/x', origin: 'subagent', delegationDepth: 2, agentPreset: 'p', createdAt: 5 } as const
    await store.create('a', { seed: TWO, meta: { ...meta, parentSession: 'z', seedLength: 1 } })
    const { header } = await store.fork('a', 2, 'b')
    expect(header).toEqual({
      version: 0,
      id: 'b',
      createdAt: header.createdAt,
      cwd: '/x',
      parentSession: 'a',
      seedLength: 3,
    })
    expect(header.createdAt).toBeGreaterThan(5)
  })

  test('of a session without cwd has none', async () => {
    const { store } = await page()
    await store.create('a', { seed: TWO })
    expect((await store.fork('a')).header).not.toHaveProperty('cwd')
  })

  test('changes nothing of its source', async () => {
    const { store, name, source } = await open()
    const { events, durable } = source
    const before = (await allRecords(name))['sessions']
    await store.fork(source, 2, 'b')
    expect(source.events).toBe(events)
    expect(source).toMatchObject({ durable, state: 'live' })
    const after = (await allRecords(name))['sessions'] as { id: string }[]
    expect(after.filter(({ id }) => id === 'a')).toEqual(before)
  })

  test('copies no events', async () => {
    const { store, name, source } = await open()
    const before = await countRecords(name)
    for (let i = 0; i < 5; i++) await store.fork(source, 2)
    expect(await countRecords(name)).toMatchObject({ segments: before['segments'], sessions: 6 })
  })

  test('is told as created in storage', async () => {
    const { store, source } = await open()
    const told = vi.fn()
    store.on('stored/changed', told)
    await store.fork(source, 2, 'b')
    expect(told).toHaveBeenCalledWith({ id: 'b', kind: 'created', length: 3 })
  })
})

describe('the source', () => {
  test('may be the session, its id, or the id of one that is only stored', async () => {
    const opened = await open()
    const other = await tab(opened)
    const forks = [opened.store.fork(opened.source, 2), opened.store.fork('a', 2), other.store.fork('a', 2)]
    for (const child of await Promise.all(forks)) expect(child.events).toEqual(TWO.slice(0, 3))
  })

  test('that is only stored is not made live, nor taken from its writer', async () => {
    const opened = await open()
    const other = await tab(opened)
    await other.store.fork('a')
    expect(other.store.get('a')).toBeUndefined()
    appendTurn(opened.source, 'more', 'text')
    expect(await opened.store.flush(opened.source)).toBe(true)
  })

  test('that is only stored, with its turn open, can be forked before that turn', async () => {
    const opened = await open(log(turn(1), start(2), user('x')))
    const other = await tab(opened)
    expect((await other.store.fork('a', 2)).events).toHaveLength(3)
    await expect(other.store.fork('a')).rejects.toMatchObject({ code: 'OPEN_TURN' })
  })

  test('live in another tab is taken as it is stored', async () => {
    const opened = await open()
    beforeCall(opened, 'append', () => new Promise(() => {}))
    appendTurn(opened.source, 'not', 'stored')
    expect((await (await tab(opened)).store.fork('a')).events).toEqual(TWO)
  })

  test('may be empty: an empty child, stored', async () => {
    const { store } = await page()
    const child = await store.fork(await store.create('a'), undefined, 'b')
    expect(child.events).toEqual([])
    expect(child.header).toMatchObject({ parentSession: 'a', seedLength: 0 })
    expect(await store.stored()).toMatchObject([{ header: { id: 'b' }, length: 0 }])
  })

  test('may be another fork that got no event of its own', async () => {
    const { store, source } = await open()
    const child = await store.fork(source, 2, 'b')
    const grandchild = await store.fork(child, undefined, 'c')
    expect(grandchild.events).toEqual(TWO.slice(0, 3))
    expect(grandchild.header).toMatchObject({ parentSession: 'b', seedLength: 3 })
  })

  test('may be a fork, inside what it inherited', async () => {
    const { store, source } = await open()
    const child = await store.fork(source, 5, 'b')
    appendTurn(child, 'own', 'turn')
    const inner = await store.fork(child, 2, 'c')
    expect(inner.events).toEqual(TWO.slice(0, 3))
    expect(inner.header.parentSession).toBe('b')
  })

  test('may be a fork, at the very boundary where it was made', async () => {
    const { store, source } = await open()
    const child = await store.fork(source, 2, 'b')
    appendTurn(child, 'own', 'turn')
    expect((await store.fork(child, 2)).events).toEqual(TWO.slice(0, 3))
  })

  test('may be deleted afterwards: forks stay whole', async () => {
    const opened = await open()
    await opened.store.fork('a', 5, 'b')
    await opened.store.delete('a')
    expect((await (await tab(opened)).store.inspect('b')).events).toEqual(TWO)
  })
})

describe('the boundary', () => {
  const REASONS: TurnEndReason[] = [
    { kind: 'completed' },
    { kind: 'blocked' },
    { kind: 'max-tokens' },
    { kind: 'interrupted' },
    { kind: 'aborted', reason: { kind: 'user' } },
    { kind: 'error', error: { message: 'm', code: 'c' } },
  ]
  test.each(REASONS)('may be a turn that ended as $kind', async (reason) => {
    const { store, source } = await open(log(start(1), end(1, reason), start(2)))
    expect((await store.fork(source, 1)).events).toHaveLength(2)
  })

  test('omitted is the last event', async () => {
    const { store, source } = await open()
    expect((await store.fork(source)).seq).toBe(6)
    expect((await store.fork(source, undefined)).seq).toBe(6)
  })

  test('omitted is the last event at the moment of the call', async () => {
    const { store, source } = await open()
    const forking = [store.fork(source), store.fork('a')]
    appendTurn(source, 'too', 'late')
    for (const child of await Promise.all(forking)) expect(child.events).toEqual(TWO)
  })

  test('omitted does not count labels at the very end', async () => {
    const { store, source } = await open(log(turn(1), title('t'), endSeed, title('u')))
    expect((await store.fork(source)).events).toHaveLength(3)
  })

  test('omitted takes a log of labels alone for empty', async () => {
    const { store, source } = await open(log(title('t'), endSeed))
    const child = await store.fork(source)
    expect(child.events).toEqual([])
    expect(child.header.seedLength).toBe(0)
  })

  test('keeps labels that lie before it', async () => {
    const { store, source } = await open(log(title('t'), turn(1), title('u'), turn(2)))
    expect((await store.fork(source)).seq).toBe(8)
  })

  test("may lie inside a run of chunks that is stored as one row, under rules 'harness'", async () => {
    const opened = await open(log(delta('a'), delta('b'), delta('c'), delta('d')), { rules: 'harness' })
    await opened.store.fork('a', 1, 'b')
    const { events } = await (await tab(opened)).store.inspect('b')
    expect(events.slice(0, 2)).toEqual(opened.source.slice(0, 2))
    expect(events).toMatchObject([{}, {}, { type: 'session/end-seed', seq: 2 }])
  })

  test('may be any turn of a long log', async () => {
    const opened = await open(log(...Array.from({ length: 300 }, (_, i) => turn(i + 1, user('x'.repeat(1000))))))
    const other = await tab(opened)
    for (const n of [1, 47, 48, 49, 150, 299, 300]) {
      await other.store.fork('a', n * 3 - 1, `at ${n}`)
      expect((await opened.store.inspect(`at ${n}`)).events).toEqual(opened.source.slice(0, n * 3))
    }
  })
})

describe('a fork of a live session', () => {
  test('waits until its events up to the boundary are stored', async () => {
    const opened = await page()
    const { store } = opened
    const source = await store.create('a')
    const { opened: answered, open: answer } = gate()
    beforeCall(opened, 'append', () => answered)
    const boundary = appendTurn(source, 'hi', 'hello')
    let isDone = false
    const forking = store.fork(source, boundary).then(() => (isDone = true))
    await store.stored()
    expect(isDone).toBe(false)
    answer()
    await forking
    expect(source.durable).toBeGreaterThan(boundary)
  })

  test('does not wait for what comes after the boundary', async () => {
    const opened = await open()
    const { store, source } = opened
    beforeCall(opened, 'append', () => new Promise(() => {}))
    beginTurn(source, 'hi')
    expect((await store.fork(source, 5)).events).toEqual(TWO)
  })

  test('rejects with the storage error when they cannot be, and nothing is made', async () => {
    const opened = await page()
    const { store } = opened
    const source = await store.create('a')
    const makeRoom = noRoom(opened, 'append')
    appendTurn(source, 'hi', 'hello')
    const failure = { name: 'SessionStoreError', code: 'STORAGE_FULL' }
    await expect(store.fork(source, undefined, 'b')).rejects.toMatchObject(failure)
    expect(store.get('b')).toBeUndefined()
    makeRoom()
    expect((await store.fork(source, undefined, 'b')).events).toEqual(source.events)
  })

  test('from inside its own turn/end takes that turn', async () => {
    const { store } = await page()
    const source = await store.create('a')
    const forks: Promise<{ events: readonly SessionEvent[] }>[] = []
    store.on('session/event', (session, { type }) => {
      if (session === source && type === 'turn/end') forks.push(store.fork(session))
    })
    appendTurn(source, 'one', '1')
    const first = source.events
    appendTurn(source, 'two', '2')
    const [one, two] = await Promise.all(forks)
    expect(one!.events).toEqual(first)
    expect(two!.events).toEqual(source.events)
  })

  test('many at once are many children', async () => {
    const { store, source } = await open()
    const children = await Promise.all(Array.from({ length: 20 }, (_, i) => store.fork(source, i % 2 ? 2 : 5)))
    expect(new Set(children.map(({ id }) => id)).size).toBe(20)
    expect(await store.stored()).toHaveLength(21)
  })
})
