import { SessionForkError, SessionStoreError } from 'idb-sessions'
import type { SessionForkErrorCode, SessionStoreErrorCode } from 'idb-sessions'

type Code = SessionForkErrorCode | SessionStoreErrorCode

/** What a person can do about an error. */
const CURES: Partial<Record<Code, string>> = {
  STORAGE_UNAVAILABLE: 'Allow this site to store data (a private window may forbid it), then reload.',
  WORKER_FAILED: 'Reload the page. Export what is not stored yet first.',
  BLOCKED: 'Close the other tabs of this page, then try again.',
  STORAGE_FULL: 'Nothing is lost while this tab stays open.',
  CONNECTION_LOST: 'Nothing is lost while this tab is open. Try again; if that fails, export this session and reload.',
  SESSION_NOT_FOUND: 'It was deleted, or it belongs to another browser.',
  SESSION_NOT_LIVE: 'Open the session again from the list.',
  SESSION_LOCKED: 'Let it finish there, or close that tab; then try again.',
  STORAGE_GONE: 'The browser has removed it, or somebody has. Import what you exported; reload to begin anew.',
  TURN_OPEN: 'Wait until the answer is finished, or stop it.',
  SESSION_CONFLICT: 'Go on in the other tab, or open the session here again.',
  SESSION_CORRUPT: 'Export gives you the part that is intact.',
  SESSION_ALREADY_EXISTS: 'Choose another id.',
  FORMAT_UNSUPPORTED: 'It was written by a newer or another program; reload to get the latest version of this page.',
  OPEN_TURN: 'Wait until the answer is finished, or stop it.',
  INVALID_BOUNDARY: 'Fork at the end of a finished answer.',
  CLOSED: 'Reload the page.',
}

export interface Explanation {
  what: string
  cure?: string
}

/** An error in plain words: the library's sentence, and what to do. */
export function explain(error: unknown): Explanation {
  const what = error instanceof Error ? error.message : String(error)
  const known = error instanceof SessionStoreError || error instanceof SessionForkError
  const cure = known ? CURES[error.code] : undefined
  return { what, ...(cure !== undefined && { cure }) }
}

/** The library's messages are clauses, to be put after a colon. */
export function asSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`
}
