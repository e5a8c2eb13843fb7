/** What a run compares, and what it can only learn from the store. */
import { expect } from 'vitest'
import { SessionStoreError, type Session, type SessionEvent, type SessionHeader, type SessionId } from 'idb-sessions'
import { decodeStorageRecord } from 'idb-sessions/log'
import { expectSame } from '../support/same.js'
import { Model, openTurn, titleOf, type Copy } from './model.js'

/** Lets messages and requests come some way, so that what follows meets them at different places. */
export async function ticks(count: number): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  for (let i = 0; i < count; i++) {
    await new Promise((resolve) => {
      port1.onmessage = resolve
      port2.postMessage(i)
    })
  }
  port1.close()
}

export function expectedRow({ header, events, live, title: set }: Copy): object {
  const title = set ?? titleOf(events)
  return {
    header,
    length: events.length,
    own: Math.max(0, events.length - (header.seedLength ?? 0)),
    lastTime: Math.max(header.createdAt, ...events.map(({ time }) => time)),
    ...(title !== undefined && { title }),
    openTurn: openTurn(events),
    writer: live ? 'here' : 'none',
  }
}

/** How many events of a session were stored when its page died, as its reloaded log tells; at least `durable`. */
export function keptLength(model: Model, id: SessionId, session: Session, durable: number): number | undefined {
  const { events } = model.get(id)
  for (let length = events.length; length >= durable; length--) {
    const after = new Model(model.rules, [])
    after.sessions.set(id, { ...model.get(id), events: events.slice(0, length), live: false })
    after.load(id, markTime(session))
    if (JSON.stringify(after.get(id).events) === JSON.stringify(session.events)) return length
  }
  return undefined
}

/** When the marker of `rules: 'harness'` was made: the one thing that only the store can know. */
export function markTime(session: Session): number {
  return session.at(session.firstLiveSeq)?.time ?? 0
}

export function expectFile(
  text: string,
  { header, events }: { header: SessionHeader; events: readonly SessionEvent[] },
): void {
  const [first, ...lines] = text.trimEnd().split('\n')
  expect(JSON.parse(first!)).toEqual({ type: 'session', ...header, delegationDepth: header.delegationDepth ?? 0 })
  expectSame(
    lines.flatMap((line) => decodeStorageRecord(JSON.parse(line))),
    events,
  )
}

export async function outcome<T>(promise: Promise<T>): Promise<{ value?: T; error?: unknown }> {
  try {
    return { value: await promise }
  } catch (error) {
    return { error }
  }
}

export async function expectCode(promise: Promise<unknown>, code: SessionStoreError['code']): Promise<void> {
  const { error } = await outcome(promise)
  expect(error).toBeInstanceOf(SessionStoreError)
  expect((error as SessionStoreError).code).toBe(code)
}
