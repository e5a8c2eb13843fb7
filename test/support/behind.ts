/**
 * What another writer does to a session behind the back of the page that has it live. Locks keep tabs of this library from it;
 * a page that was robbed while it was frozen meets it, and any page where there are no Web Locks. So this goes past the store:
 * to the worker, which knows epochs alone.
 */
import type { SessionEvent, SessionId } from 'idb-sessions'
import { interruptedTurnClosers } from 'idb-sessions/log'
import { readLog } from '../../lib/reading.js'
import { encodeSegments } from '../../lib/log/jsonl.js'
import { randomToken } from '../../lib/wire/token.js'
import type { Page } from './page.js'

/** Takes a session over as a load does, closers included. Returns the new epoch, with which `write` goes on. */
export async function overtake({ connection }: Page, id: SessionId): Promise<string> {
  const op = randomToken()
  for (;;) {
    const { log, epoch, events } = await readLog(connection, id, new Set())
    const seen = { log, length: events.length, epoch }
    const segments = encodeSegments(interruptedTurnClosers(events))
    if ((await connection.call('load', { id, op, seen, segments })) !== 'changed') return op
  }
}

/** Appends as the writer of this epoch. */
export async function write({ connection }: Page, id: SessionId, epoch: string, events: SessionEvent[]): Promise<void> {
  await connection.call('append', { id, epoch, first: events[0]!.seq, segments: encodeSegments(events) })
}

/** Makes a session of an id that a page may be about to make one of. */
export async function make({ connection }: Page, id: SessionId, events: readonly SessionEvent[]): Promise<void> {
  const header = { version: 0, id, createdAt: Date.now() } as const
  await connection.call('create', { op: randomToken(), header, segments: encodeSegments(events), staged: 0 })
}

export async function remove({ connection }: Page, id: SessionId): Promise<void> {
  await connection.call('delete', [id])
}
