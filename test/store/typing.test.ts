/** What the compiler must accept and refuse: `npm run check:types` is half of these tests. */
import { expect, expectTypeOf, test } from 'vitest'
import type { Session, SessionEvent, TurnEndReason } from 'idb-sessions'
import { page } from '../support/lifetime.js'
import { user } from '../support/logs.js'

declare module 'idb-sessions' {
  interface SessionEventMap {
    'typing-test/note': { text: string }
  }
  interface TurnEndReasonMap {
    'typing-test/bored': { kind: 'typing-test/bored'; of: string }
  }
}

async function open(): Promise<Session> {
  return (await page({ eventTypes: ['typing-test/note'] })).store.create('a')
}

test('the application’s own events are typed by declaration merging', async () => {
  const session = await open()
  const note = session.append('typing-test/note', { text: 'x' })
  expectTypeOf(note.data).toEqualTypeOf<{ text: string }>()
  // @ts-expect-error: text is a string; at run time the data of own types is the application's.
  session.append('typing-test/note', { text: 7 })
  expect(note).toMatchObject({ data: { text: 'x' }, ignorable: true })
})

test('the application’s own reasons of a turn’s end are typed by declaration merging', async () => {
  const session = await open()
  const reason: TurnEndReason = { kind: 'typing-test/bored', of: 'waiting' }
  session.append('turn/start', { turn: 1 })
  expect(session.append('turn/end', { turn: 1, reason }).data.reason).toEqual(reason)
})

test('a message needs its surface intent, in the types and at run time', async () => {
  const session = await open()
  // @ts-expect-error: the intent is missing.
  expect(() => session.append('user/message', user('hi'))).toThrow(expect.objectContaining({ code: 'INVALID_EVENT' }))
  session.append('user/message', user('hi'), { surfaceOp: 'append' })
})

test('all others refuse it, in the types and at run time', async () => {
  const session = await open()
  // @ts-expect-error: no intent here.
  expect(() => session.append('turn/start', { turn: 1 }, { surfaceOp: 'append' })).toThrow(
    expect.objectContaining({ code: 'INVALID_EVENT' }),
  )
})

test('an unknown type is refused, in the types and at run time', async () => {
  const session = await open()
  // @ts-expect-error: nobody declared it.
  expect(() => session.append('typing-test/other', {})).toThrow(expect.objectContaining({ code: 'INVALID_EVENT' }))
})

test('an event tells its data by its type', () => {
  const dataOf = (event: SessionEvent): unknown => {
    if (event.type === 'turn/end') expectTypeOf(event.data.reason).toEqualTypeOf<TurnEndReason>()
    if (event.type === 'step/start') expectTypeOf(event.data).toEqualTypeOf<{ turn: number; step: number }>()
    return event.data
  }
  expect(dataOf({ type: 'step/start', seq: 0, time: 0, data: { turn: 1, step: 1 } })).toEqual({ turn: 1, step: 1 })
})

test('what is logged cannot be written to', async () => {
  const session = await open()
  const event = session.append('turn/start', { turn: 1 })
  // @ts-expect-error: read-only.
  expect(() => (event.seq = 7)).toThrow(TypeError)
  // @ts-expect-error: read-only.
  expect(() => session.events.push(event)).toThrow(TypeError)
})
