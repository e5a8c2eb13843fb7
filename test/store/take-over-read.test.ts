/** A tab that takes a session over reads it before it asks for it: nobody lets go of what the other cannot read. */
import { describe, expect, test } from 'vitest'
import type { Session, SessionEvent } from 'idb-sessions'
import { log, turn, user } from '../log/support.js'
import { make } from '../support/behind.js'
import { watchCalls } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import type { Page } from '../support/page.js'
import { damage } from '../support/records.js'

/** A type that is known to one tab alone, in an event that nobody may ignore. */
const NOTE = { type: 'app/note', seq: 0, time: 1, data: {} } as unknown as SessionEvent

interface Holder {
  first: Page
  session: Session
}

async function damaged(): Promise<Holder> {
  const first = await page()
  const session = await first.store.create('a', { seed: log(turn(1)) })
  await damage(first.name, (segment) => ({ ...segment, bytes: segment.bytes.map((byte) => byte ^ 1) }))
  return { first, session }
}

async function unknown(): Promise<Holder> {
  const first = await page({ eventTypes: [NOTE.type] })
  await make(first, 'a', [NOTE])
  return { first, session: await first.store.load('a') }
}

async function reserved(): Promise<Holder> {
  const first = await page()
  return { first, session: await first.store.create('a') }
}

describe.each([
  ['is damaged', 'SESSION_CORRUPT', damaged],
  ['has events of an unknown type', 'FORMAT_UNSUPPORTED', unknown],
  ['was never written to', 'SESSION_NOT_FOUND', reserved],
])('taking over a session that %s', (_, code, held) => {
  test(`is ${code}, and its writer stays live and goes on storing`, async () => {
    const { first, session } = await held()
    const second = await tab(first)
    await expect(second.store.load('a', { takeOver: true })).rejects.toMatchObject({ code })
    appendTurn(session, 'still', 'here')
    expect(await first.store.flush(session)).toBe(true)
    expect(session).toMatchObject({ state: 'live', durable: session.seq })
  })
})

test('a long log is read once, and then what its writer has stored last', async () => {
  const seed = log(...Array.from({ length: 1000 }, (_, i) => turn(i + 1, user('x'.repeat(6000)))))
  const first = await page()
  const session = await first.store.create('a', { seed })
  const second = await tab(first)
  const calls = watchCalls(second)
  const reads = (): number => calls.splice(0).filter((name) => name === 'read').length
  await second.store.inspect('a')
  const all = reads()
  session.append('turn/start', { turn: 1001 })
  const taken = await second.store.load('a', { takeOver: true })
  expect(reads()).toBe(all + 1)
  expect(taken.slice(0, session.seq)).toEqual(session.events)
})
