/** What the store tells about sessions that are stored, live here or not. */
import type { SessionEvent, SessionId } from './log/event.js'
import type { SessionHeader } from './log/header.js'
import type { Session } from './session.js'
import type { StoreStatus } from './status.js'
import type { SessionStoreError } from './wire/errors.js'
import type { StoredRow } from './wire/protocol.js'
import type { Writer } from './writers.js'

export interface StoredSession {
  /** Deeply frozen. */
  header: SessionHeader
  /** Stored events. */
  length: number
  /** Those beyond the inherited prefix. */
  own: number
  /** Of the latest activity, Unix epoch ms. */
  lastTime: number
  /** The one set by `setTitle`, else the last `session/title` of the log; cut to 1,000 characters. */
  title?: string
  /** It ends inside a turn: a crash, or a writer at work. */
  openTurn: boolean
  /** Who has it live: this page, another tab, or nobody. */
  writer: Writer
}

export interface ImportReport {
  session: StoredSession
  /** A torn tail that was left out, from this line (1-based) on. Source: `spec` 7.4. */
  dropped?: { line: number; reason: string }
}

export interface StoredChange {
  id: SessionId
  kind: 'created' | 'grown' | 'titled' | 'deleted'
  /** Stored events after the change. */
  length: number
}

export interface SessionStoreEvents {
  /** After create, fork and load. A synchronous throw vetoes: it rejects that call; create and fork store nothing. */
  'session/created'(session: Session): void
  /** After the event is in the log, synchronously. Failures are reported on the console and stop nobody. */
  'session/event'(session: Session, event: SessionEvent): void
  /** Awaited by `flush`, all of them; the first failure rejects it. */
  'session/flush'(session: Session): void | Promise<void>
  'session/disposed'(session: Session): void
  /** 'grown' at most once per frame and session. */
  'stored/changed'(change: StoredChange): void
  /** `SessionStore.status` has changed; the cause says why, and what to do. */
  status(status: StoreStatus, cause?: SessionStoreError): void
}

export const STORE_EVENTS: readonly (keyof SessionStoreEvents)[] = [
  'session/created',
  'session/event',
  'session/flush',
  'session/disposed',
  'stored/changed',
  'status',
]

export function toStoredSession(row: StoredRow, writer: Writer): StoredSession {
  const { header, length, lastTime, title, openTurn } = row
  return {
    header: Object.freeze(header),
    length,
    own: Math.max(0, length - (header.seedLength ?? 0)),
    lastTime,
    ...(title !== undefined && { title }),
    openTurn,
    writer,
  }
}

/** Newest activity first; equal ones in a fixed order. */
export function byActivity(a: StoredSession, b: StoredSession): number {
  return b.lastTime - a.lastTime || b.header.createdAt - a.header.createdAt || (a.header.id < b.header.id ? -1 : 1)
}
