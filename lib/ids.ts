/** Session ids: making them, and telling them from what a caller may take for one. */
import type { SessionId } from './log/event.js'
import { SessionView } from './session.js'
import { SessionStoreError } from './wire/errors.js'
import { randomUuid } from './wire/token.js'

/** Globally unique, so that the logs of two devices never collide. */
export function mintId(): SessionId {
  return `session-${randomUuid()}`
}

/** Throws `SESSION_NOT_FOUND`: what is no id names no session. */
export function requireId(id: unknown): void {
  if (typeof id !== 'string') throw notAnId(id)
}

export function notAnId(id: unknown): SessionStoreError {
  const what = id instanceof SessionView ? 'a Session; pass its id' : `a value of type ${typeof id}`
  return new SessionStoreError('SESSION_NOT_FOUND', `a session id is a string, not ${what}`)
}

export function notFound(id: SessionId): SessionStoreError {
  return new SessionStoreError('SESSION_NOT_FOUND', `there is no session '${id}'`, { sessionId: id })
}
