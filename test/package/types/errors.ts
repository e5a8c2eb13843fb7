/** The errors: their codes and fields, and what an application does with them. */
import {
  SessionForkError,
  SessionStoreError,
  type SessionForkErrorCode,
  type SessionForkErrorFields,
  type SessionStoreErrorCode,
  type SessionStoreErrorFields,
} from 'idb-sessions'
import { same } from './same.js'

export function fields(refused: SessionForkError, failed: SessionStoreError): Error[] {
  same<SessionForkError['name'], 'SessionForkError'>()
  same<SessionForkError['code'], SessionForkErrorCode>()
  same<SessionForkError['message'], string>()
  same<SessionForkError['boundary'], number | undefined>()
  same<SessionForkError['before'], number | undefined>()
  same<SessionForkError['after'], number | undefined>()

  same<SessionStoreError['name'], 'SessionStoreError'>()
  same<SessionStoreError['code'], SessionStoreErrorCode>()
  same<SessionStoreError['message'], string>()
  same<SessionStoreError['cause'], unknown>()
  same<SessionStoreError['sessionId'], string | undefined>()
  same<SessionStoreError['readable'], number | undefined>()
  same<SessionStoreError['line'], number | undefined>()
  same<SessionStoreError['index'], number | undefined>()

  same<SessionForkErrorFields, { boundary?: number; before?: number; after?: number }>()
  same<
    SessionStoreErrorFields,
    { cause?: unknown; sessionId?: string; readable?: number; line?: number; index?: number }
  >()
  return [refused, failed]
}

export function codes(): void {
  same<
    SessionForkErrorCode,
    'SESSION_ALREADY_EXISTS' | 'SESSION_NOT_FOUND' | 'SESSION_NOT_LIVE' | 'INVALID_BOUNDARY' | 'OPEN_TURN'
  >()
  const codes: SessionStoreErrorCode[] = [
    'STORAGE_UNAVAILABLE',
    'WORKER_FAILED',
    'BLOCKED',
    'STORAGE_FULL',
    'CONNECTION_LOST',
    'SESSION_ALREADY_EXISTS',
    'SESSION_NOT_FOUND',
    'SESSION_NOT_LIVE',
    'SESSION_CONFLICT',
    'SESSION_CORRUPT',
    'FORMAT_UNSUPPORTED',
    'INVALID_EVENT',
    'INVALID_HEADER',
    'INVALID_LOG',
    'CLOSED',
  ]
  // @ts-expect-error a code is one of those that are told
  codes.push('SESSION_LOST')
  // @ts-expect-error those of a refused fork are its own
  codes.push('OPEN_TURN')
}

/** Tells the two apart by their class, and what failed by the code. */
export function explains(error: unknown): string {
  if (error instanceof SessionForkError) {
    switch (error.code) {
      case 'OPEN_TURN':
      case 'INVALID_BOUNDARY':
        return `not at ${error.boundary}, but at ${error.before ?? error.after ?? 'no place'}`
      default:
        return error.message
    }
  }
  if (error instanceof SessionStoreError) {
    if (error.code === 'SESSION_CORRUPT') return `${error.sessionId}: ${error.readable} events`
    if (error.code === 'INVALID_LOG') return `line ${error.line}`
    if (error.code === 'INVALID_EVENT') return `event ${error.index}: ${String(error.cause)}`
  }
  return String(error)
}

/** Tests of an application make them. */
export function makes(): Error[] {
  return [
    new SessionForkError('SESSION_NOT_FOUND', 'no such session'),
    new SessionForkError('OPEN_TURN', 'inside a turn', { boundary: 7, before: 4 }),
    new SessionStoreError('CLOSED', 'closed'),
    new SessionStoreError('SESSION_CORRUPT', 'damaged', { sessionId: 'a', readable: 3, cause: new Error('checksum') }),
  ]
}

export function rejects(refused: SessionForkError, failed: SessionStoreError): void {
  // @ts-expect-error a refused fork has no such code
  if (refused.code === 'CLOSED') return
  // @ts-expect-error nor a failure this one
  if (failed.code === 'OPEN_TURN') return
  // @ts-expect-error there may be no such place
  const before: number = refused.before
  // @ts-expect-error only a refused fork has places to offer
  void failed.after
  // @ts-expect-error an error has a message
  void new SessionForkError('OPEN_TURN')
  // @ts-expect-error and no other fields
  void new SessionStoreError('CLOSED', 'closed', { after: 1 })
  // @ts-expect-error a failure is no refused fork
  refused = failed
  void before
}

/** What an error says stays as it was said. */
export function assigns(refused: SessionForkError, failed: SessionStoreError): void {
  // @ts-expect-error read-only
  refused.code = 'OPEN_TURN'
  // @ts-expect-error read-only
  refused.boundary = 1
  // @ts-expect-error read-only
  refused.before = 1
  // @ts-expect-error read-only
  refused.after = 1
  // @ts-expect-error read-only
  failed.code = 'CLOSED'
  // @ts-expect-error read-only
  failed.sessionId = 'a'
  // @ts-expect-error read-only
  failed.readable = 1
  // @ts-expect-error read-only
  failed.line = 1
  // @ts-expect-error read-only
  failed.index = 1
}
