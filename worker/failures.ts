/** What IndexedDB reports, as errors that say what to do next. */
import { SessionStoreError, type SessionStoreErrorCode } from '../lib/wire/errors.js'

export function nameOf(error: unknown): string | undefined {
  return (error as { name?: string } | null)?.name
}

/**
 * Whether the connection was closed under a transaction, or before it began: by the browser, by a user who clears its
 * data, by a server that went away. Nothing of the transaction is stored then, or all of it.
 */
export function isLost(error: unknown): boolean {
  const names = ['InvalidStateError', 'AbortError', 'TransactionInactiveError', 'UnknownError']
  return !(error instanceof SessionStoreError) && names.includes(nameOf(error) ?? '')
}

export function blocked(name: string): SessionStoreError {
  const message = `another tab holds the database '${name}'; close other tabs of this page, or reload them`
  return new SessionStoreError('BLOCKED', message)
}

export function stuck(name: string, seconds: number): SessionStoreError {
  const message = `a transaction on '${name}' did not end within ${seconds} s; another tab may hold it: close or reload other tabs`
  return new SessionStoreError('BLOCKED', message)
}

export function gone(name: string): SessionStoreError {
  const message =
    `the database '${name}' that was here is gone, evicted by the browser, deleted or damaged; what is live can still ` +
    'be exported, and a reload begins with an empty one'
  return new SessionStoreError('STORAGE_GONE', message)
}

export function openError(name: string, cause: unknown): SessionStoreError {
  if (nameOf(cause) === 'VersionError') {
    const message = `the database '${name}' was written by a newer version; reload to get that version`
    return new SessionStoreError('FORMAT_UNSUPPORTED', message, { cause })
  }
  if (nameOf(cause) === 'QuotaExceededError') return typed(cause, 'readwrite') as SessionStoreError
  const message = `the database '${name}' cannot be opened (${nameOf(cause)}); private mode or a damaged profile does this`
  return new SessionStoreError('STORAGE_UNAVAILABLE', message, { cause })
}

/** A database that was open here before. */
export function notAgain(name: string, cause: unknown): SessionStoreError {
  const message = `the database '${name}' was closed and cannot be opened again (${nameOf(cause)}); try again, or reload the page`
  return new SessionStoreError('CONNECTION_LOST', message, { cause })
}

/**
 * A segment whose value the browser found and cannot give. Chromium keeps large values in files beside its database: where
 * one of them is lost the request for it fails, and its transaction with it.
 */
export class Unreadable extends Error {
  constructor(
    /** Its first event. */
    readonly first: number,
    error: unknown,
  ) {
    super(`the segment of event ${first} cannot be read`, { cause: error })
    this.name = nameOf(error)!
  }
}

/** Whether it was a value that could not be read: of the browser's error, or of the one that it has become here. */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof SessionStoreError) return error.code === 'CONNECTION_LOST' && isUnreadable(error.cause)
  return ['UnknownError', 'NotReadableError', 'DataError'].includes(nameOf(error) ?? '')
}

const CODES: Record<string, [SessionStoreErrorCode, string]> = {
  NotFoundError: ['FORMAT_UNSUPPORTED', 'this database holds something else than sessions; open one of another name'],
  QuotaExceededError: ['STORAGE_FULL', 'the browser has no room left; export or delete sessions, or free disk space'],
  UnknownError: ['STORAGE_FULL', 'the browser could not write to the disk; it may be full'],
  InvalidStateError: ['CONNECTION_LOST', 'the browser closed the database; try again, or reload the page'],
  AbortError: ['CONNECTION_LOST', 'the browser gave the transaction up; try again, or reload the page'],
}

/** The browser's error as one of ours; what is ours already, or a plain bug, stays what it is. */
export function typed(error: unknown, mode: 'readonly' | 'readwrite'): unknown {
  if (error instanceof SessionStoreError) return error
  const name = nameOf(error) ?? ''
  // Reading needs no room, so there it is not the disk that is full.
  const isRead = mode === 'readonly' || error instanceof Unreadable
  const known = name === 'UnknownError' && isRead ? undefined : CODES[name]
  if (known !== undefined) return new SessionStoreError(...known, { cause: error })
  if (!(error instanceof DOMException) && !(error instanceof Unreadable)) return error
  return new SessionStoreError('CONNECTION_LOST', `IndexedDB failed (${name}); try again, or reload`, { cause: error })
}
