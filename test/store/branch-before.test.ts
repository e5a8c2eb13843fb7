import { describe, expect, test } from 'vitest'
import type { Session, SessionEvent } from 'idb-sessions'
import { SessionForkError } from 'idb-sessions'
import { log, start, title, turn, user } from '../log/support.js'
import { beforeCall } from '../support/calls.js'
import { stored } from '../support/crashed.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'
import { damage } from '../support/records.js'

/** Turns at 0 to 2 and 3 to 5; the one that begins at 6 is open. */
const OPEN = log(turn(1), turn(2), start(3), user('x'))

async function open(seed: SessionEvent[] = OPEN, options?: Parameters<typeof page>[0]) {
  const opened = await page(options)
  return { ...opened, source: await opened.store.create('a', { seed, meta: { cwd: '/x' } }) }
}

describe('branchBefore', () => {
  test.each([3, 4, 5])('takes what lies before the turn that holds event %i', async (seq) => {
    const { store, source } = await open()
    expect((await store.branchBefore(source, seq)).events).toEqual(OPEN.slice(0, 3))
  })

  test.each([0, 1, 2])('before the first turn, which holds event %i, takes nothing', async (seq) => {
    const { store, source } = await open()
    const child = await store.branchBefore(source, seq, 'b')
    expect(child.events).toEqual([])
    expect(child.header).toMatchObject({ cwd: '/x', parentSession: 'a', seedLength: 0 })
  })

  test('before the first turn gives a session that is live, writable and stored', async () => {
    const opened = await open()
    const child = await opened.store.branchBefore(opened.source, 0, 'b')
    expect((await (await tab(opened)).store.stored()).map(({ header }) => header.id)).toContain('b')
    appendTurn(child, 'other', 'way')
    expect(await opened.store.flush(child)).toBe(true)
  })

  test('leaves out what comes before the first turn, which no fork could keep alone', async () => {
    const { store, source } = await open(log(title('t'), turn(1)))
    expect((await store.branchBefore(source, 2)).events).toEqual([])
  })

  test('may name a turn that is still open', async () => {
    const { store, source } = await open()
    expect((await store.branchBefore(source, 7)).events).toEqual(OPEN.slice(0, 6))
  })

  test('before what lies between two turns is at the end of the first of them', async () => {
    const { store, source } = await open(log(turn(1), title('t'), turn(2)))
    expect((await store.branchBefore(source, 3)).events).toHaveLength(3)
  })

  test('takes a session, its id, or the id of one that is only stored', async () => {
    const opened = await open()
    const other = await tab(opened)
    const branches = [
      opened.store.branchBefore(opened.source, 4),
      opened.store.branchBefore('a', 4),
      other.store.branchBefore('a', 4),
    ]
    for (const child of await Promise.all(branches)) expect(child.events).toEqual(OPEN.slice(0, 3))
    expect(other.store.get('a')).toBeUndefined()
  })

  test('is of the source at the moment of the call', async () => {
    const { store, source } = await open()
    const branching = store.branchBefore(source, 8)
    appendTurn(source, 'too', 'late')
    await expect(branching).rejects.toMatchObject({ code: 'INVALID_BOUNDARY' })
  })

  test('does not wait for the turn that it leaves out to be stored', async () => {
    const opened = await page()
    const source = await opened.store.create('a')
    beforeCall(opened, 'append', () => new Promise(() => {}))
    beginTurn(source, 'hi')
    expect((await opened.store.branchBefore(source, 0)).header.seedLength).toBe(0)
  })

  test('of a damaged session works before the damage', async () => {
    const long = (n: number) => turn(n, user('x'.repeat(13_000)))
    const { store, name } = await stored(log(long(1), long(2)))
    await damage(name, (segment) => (segment.first === 0 ? segment : undefined))
    expect((await store.branchBefore('a', 3)).seq).toBe(3)
    await expect(store.branchBefore('a', 4)).rejects.toMatchObject({ code: 'SESSION_CORRUPT', readable: 4 })
  })

  test("ends in a marker, under rules 'harness'", async () => {
    const { store, source } = await open(log(turn(1), turn(2)), { rules: 'harness' })
    expect((await store.branchBefore(source, 4)).events.slice(3)).toMatchObject([{ type: 'session/end-seed' }])
    expect((await store.branchBefore(source, 0)).events).toMatchObject([{ type: 'session/end-seed' }])
  })
})

describe('branchBefore is refused as a fork is:', () => {
  async function refusal(branching: Promise<Session>) {
    const error: unknown = await branching.then(
      () => new Error('it was not refused'),
      (reason: unknown) => reason,
    )
    if (!(error instanceof SessionForkError)) throw error
    const { code, boundary, before, after } = error
    return { code, boundary, before, after }
  }

  test('1. SESSION_ALREADY_EXISTS for the id of a child that is there, before all others', async () => {
    const { store } = await open()
    expect(await refusal(store.branchBefore('nobody', -1, 'a'))).toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
  })

  test('2. SESSION_NOT_FOUND for a source that is not there', async () => {
    const { store } = await open()
    expect(await refusal(store.branchBefore('nobody', -1))).toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  test('3. SESSION_NOT_LIVE for an object that is not the live one', async () => {
    const { store, source } = await open()
    await store.release(source)
    expect(await refusal(store.branchBefore(source, -1))).toMatchObject({ code: 'SESSION_NOT_LIVE' })
  })

  test.each([undefined, null, '3', -1, 0.5, NaN])('4. INVALID_BOUNDARY for %j, which is no seq', async (seq) => {
    const { store, source } = await open()
    expect(await refusal(store.branchBefore(source, seq as never))).toMatchObject({ code: 'INVALID_BOUNDARY' })
    await store.release(source)
    expect(await refusal(store.branchBefore('a', seq as never))).toMatchObject({ code: 'INVALID_BOUNDARY' })
  })

  test('4. INVALID_BOUNDARY for an event that is not there, with the nearest fork points', async () => {
    const { store, source } = await open()
    const expected = { code: 'INVALID_BOUNDARY', boundary: 8, before: 5, after: undefined }
    expect(await refusal(store.branchBefore(source, 8))).toEqual(expected)
  })

  test('4. INVALID_BOUNDARY for an event that is not stored', async () => {
    const { store } = await stored()
    expect(await refusal(store.branchBefore('a', 3))).toMatchObject({ code: 'INVALID_BOUNDARY', before: 2 })
  })

  test('4. INVALID_BOUNDARY for any event of an empty session', async () => {
    const { store } = await page()
    expect(await refusal(store.branchBefore(await store.create(), 0))).toMatchObject({ code: 'INVALID_BOUNDARY' })
  })
})
