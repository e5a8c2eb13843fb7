import { describe, expect, test, vi } from 'vitest'
import { log, turn } from '../log/support.js'
import { make } from '../support/behind.js'
import { noRoom } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import { countRecords, hasLocks, newName } from '../support/page.js'
import { NOTHING } from '../support/records.js'

describe('the id', () => {
  test('is minted as session-<uuid>', async () => {
    const { store } = await page()
    const session = await store.create()
    expect(session.id).toMatch(/^session-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('is minted anew each time', async () => {
    const { store } = await page()
    const [a, b] = await Promise.all([store.create(), store.create()])
    expect(a.id).not.toBe(b.id)
  })

  test('may be any string, the empty one too', async () => {
    const { store } = await page()
    for (const id of ['', '__proto__', 'a/b\u0000', '\u{1f600}', '\ud800', 'x'.repeat(500)]) {
      const session = await store.create(id, { seed: log(turn(1)) })
      expect(session.id).toBe(id)
      expect((await store.inspect(id)).events).toHaveLength(3)
    }
    expect(await store.stored()).toHaveLength(6)
  })

  test.each([7, {}, true])('is a string, not %j', async (id) => {
    const { store } = await page()
    await expect(store.create(id as never)).rejects.toMatchObject({ code: 'INVALID_HEADER' })
  })

  test('of a live session is taken', async () => {
    const { store } = await page()
    await store.create('a')
    await expect(store.create('a')).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS', sessionId: 'a' })
  })

  test('of a stored session is taken', async () => {
    const first = await page()
    await first.store.create('a', { seed: log(turn(1)) })
    const second = await tab(first)
    await expect(second.store.create('a')).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
  })

  test('goes to the first of two calls', async () => {
    const { store } = await page()
    const [first, second] = await Promise.allSettled([store.create('a'), store.create('a')])
    expect(first.status).toBe('fulfilled')
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'SESSION_ALREADY_EXISTS' } })
  })

  test('goes to one of two tabs that seed it', async () => {
    const first = await page()
    const second = await tab(first)
    const seed = log(turn(1))
    const both = [first.store.create('a', { seed }), second.store.create('a', { seed })]
    const outcomes = await Promise.allSettled(both)
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'SESSION_ALREADY_EXISTS' },
    })
  })
})

describe('a session that never got an event', () => {
  test('is not listed', async () => {
    const { store } = await page()
    await store.create('a')
    expect(await store.stored()).toEqual([])
    expect(store.list().map(({ id }) => id)).toEqual(['a'])
  })

  test('cannot be loaded by another page: locked; where there are no Web Locks, not seen', async () => {
    const first = await page()
    await first.store.create('a')
    const second = await tab(first)
    const code = hasLocks ? 'SESSION_LOCKED' : 'SESSION_NOT_FOUND'
    await expect(second.store.load('a')).rejects.toMatchObject({ code })
  })

  test('cannot be taken over by another page, for which it is not there: it stays live', async () => {
    const first = await page()
    const unused = await first.store.create('a')
    const { store } = await tab(first)
    await expect(store.load('a', { takeOver: true })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(unused.state).toBe('live')
  })

  test('is gone when it is released', async () => {
    const { store, name } = await page()
    await store.release(await store.create('a'))
    expect(await countRecords(name)).toEqual(NOTHING)
  })

  test('leaves its id free after its page went', async () => {
    const first = await page()
    await first.store.create('a')
    first.crash()
    const second = await tab(first)
    const session = await second.store.create('a')
    appendTurn(session, 'hi', 'hello')
    expect(await second.store.flush(session)).toBe(true)
  })

  test('leaves its id to another writer that uses it, and is then in conflict', async () => {
    const first = await page()
    const unused = await first.store.create('a')
    const second = await tab(first)
    await make(second, 'a', log(turn(1)))
    unused.append('turn/start', { turn: 1 })
    await vi.waitFor(() => expect(unused.state).toBe('conflict'))
    expect(await second.store.stored()).toMatchObject([{ length: 3 }])
  })

  test.skipIf(hasLocks)('leaves its id to another page (Node only: without Web Locks)', async () => {
    const first = await page()
    await first.store.create('a')
    const { store } = await tab(first)
    const session = await store.create('a')
    appendTurn(session, 'hi', 'hello')
    expect(await store.flush(session)).toBe(true)
  })

  test('that is released late takes nothing away from the writer that uses its id', async () => {
    const first = await page()
    const unused = await first.store.create('a')
    const second = await tab(first)
    await make(second, 'a', log(turn(1)))
    await first.store.release(unused).catch(() => {})
    expect(await second.store.stored()).toMatchObject([{ length: 3 }])
  })

  test('has length 0, everything stored, and no turn', async () => {
    const { store } = await page()
    const session = await store.create('a')
    expect(session).toMatchObject({ seq: 0, durable: 0, firstLiveSeq: 0, state: 'live', events: [], turn: { next: 1 } })
  })
})

test('one that got an event is stored, and stays after release', async () => {
  const { store } = await page()
  const session = await store.create('a')
  session.append('turn/start', { turn: 1 })
  await store.release(session)
  expect(await store.stored()).toMatchObject([{ header: { id: 'a' }, length: 1 }])
})

describe('meta', () => {
  test('becomes the header', async () => {
    const { store } = await page()
    const meta = {
      cwd: '/x',
      parentSession: 'p',
      seedLength: 99,
      createdAt: 5,
      origin: 'subagent' as const,
      delegationDepth: 2,
      agentPreset: 'coder',
    }
    const { header } = await store.create('a', { meta })
    expect(header).toEqual({ version: 0, id: 'a', ...meta })
  })

  test('gives createdAt, or it is now', async () => {
    const { store } = await page()
    const before = Date.now()
    const { header } = await store.create('a')
    expect(header.createdAt).toBeGreaterThanOrEqual(before)
    expect(header).toEqual({ version: 0, id: 'a', createdAt: header.createdAt })
  })

  test('loses unknown fields, and does not name version or id', async () => {
    const { store } = await page()
    const meta = { version: 7, id: 'b', mine: 1, createdAt: 5 }
    expect((await store.create('a', { meta })).header).toEqual({ version: 0, id: 'a', createdAt: 5 })
  })

  test.each([
    { cwd: 'a/b' },
    { cwd: '' },
    { createdAt: -1 },
    { createdAt: -0 },
    { createdAt: 0.5 },
    { seedLength: -1 },
    { origin: 'user' },
    { delegationDepth: '1' },
    { agentPreset: 1 },
    { parentSession: 1 },
    [],
    'meta',
  ])('%j is refused', async (meta) => {
    const { store, name } = await page()
    await expect(store.create('a', { meta: meta as never })).rejects.toMatchObject({ code: 'INVALID_HEADER' })
    expect(store.get('a')).toBeUndefined()
    expect(await countRecords(name)).toEqual(NOTHING)
  })

  test.each(['/x', 'C:\\x', 'c:/x', '\\\\server\\share'])('takes %s as an absolute path', async (cwd) => {
    const { store } = await page()
    expect((await store.create('a', { meta: { cwd } })).header.cwd).toBe(cwd)
  })
})

describe('a create that fails', () => {
  test('leaves nothing live, and the id free', async () => {
    const opened = await page()
    const makeRoom = noRoom(opened, 'create')
    await expect(opened.store.create('a')).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    expect(opened.store.get('a')).toBeUndefined()
    makeRoom()
    expect((await opened.store.create('a')).state).toBe('live')
  })

  test('because of a veto leaves nothing stored, and the id free', async () => {
    const { store, name } = await page()
    const off = store.on('session/created', () => {
      throw new RangeError('not this one')
    })
    await expect(store.create('a', { seed: log(turn(1)) })).rejects.toThrow(new RangeError('not this one'))
    expect(store.list()).toEqual([])
    expect(await countRecords(name)).toEqual(NOTHING)
    off()
    await store.create('a')
  })
})

test('two stores of different names share nothing', async () => {
  const [a, b] = [await page({ name: newName() }), await page({ name: newName() })]
  await a.store.create('x', { seed: log(turn(1)) })
  await b.store.create('x', { seed: [] })
  expect((await a.store.stored())[0]!.length).toBe(3)
  expect((await b.store.stored())[0]!.length).toBe(0)
})
