/** The errors of this library, and how they cross the worker boundary as their class, with code and fields. */

export type SessionForkErrorCode =
  | 'SESSION_ALREADY_EXISTS'
  | 'SESSION_NOT_FOUND'
  | 'SESSION_NOT_LIVE'
  | 'INVALID_BOUNDARY'
  | 'OPEN_TURN'

export interface SessionForkErrorFields {
  /** The boundary that was asked for, as far as it was a number. */
  boundary?: number
  /** The nearest fork points before and after it, to be offered instead. */
  before?: number
  after?: number
}

/** Why a fork was refused; nothing was made. Storage failures are `SessionStoreError`s. Source: `rfc`, `spec` 3.4. */
export class SessionForkError extends Error {
  override readonly name = 'SessionForkError'
  declare readonly boundary?: number
  declare readonly before?: number
  declare readonly after?: number

  constructor(
    readonly code: SessionForkErrorCode,
    message: string,
    fields: SessionForkErrorFields = {},
  ) {
    super(message)
    Object.assign(this, fields)
  }
}

export type SessionStoreErrorCode =
  /** No usable IndexedDB here. */
  | 'STORAGE_UNAVAILABLE'
  /** The worker could not start, or died and could not be restarted. */
  | 'WORKER_FAILED'
  /** Another tab holds an older version of the database, or holds a transaction. Events are kept. */
  | 'BLOCKED'
  /** Quota or disk. Unsaved events are kept and can be exported. */
  | 'STORAGE_FULL'
  /** The browser closed the database and reopening failed. */
  | 'CONNECTION_LOST'
  /** The database that was here before is empty now: evicted, deleted or damaged. */
  | 'STORAGE_GONE'
  | 'SESSION_ALREADY_EXISTS'
  | 'SESSION_NOT_FOUND'
  /** The session was released. */
  | 'SESSION_NOT_LIVE'
  /** Live in another tab, after a short wait. */
  | 'SESSION_LOCKED'
  /** Another writer took over. Unsaved events are kept, see `saveAsFork`. */
  | 'SESSION_CONFLICT'
  /** Stored bytes are damaged; the first `readable` events are intact and can be forked and exported. */
  | 'SESSION_CORRUPT'
  /** A newer format, or an event type that is unknown and not `ignorable`. */
  | 'FORMAT_UNSUPPORTED'
  /** Refused by append or as a seed; `index` is the place in the seed. */
  | 'INVALID_EVENT'
  | 'INVALID_HEADER'
  /** Refused by import; `line` is 1-based. */
  | 'INVALID_LOG'
  /** `runTurn` on a session whose turn is open. */
  | 'TURN_OPEN'
  /** The store was closed. */
  | 'CLOSED'

export interface SessionStoreErrorFields {
  cause?: unknown
  sessionId?: string
  readable?: number
  line?: number
  index?: number
}

/** Everything that can go wrong apart from a refused fork and plain programming errors. */
export class SessionStoreError extends Error {
  override readonly name = 'SessionStoreError'
  declare readonly sessionId?: string
  declare readonly readable?: number
  declare readonly line?: number
  declare readonly index?: number

  constructor(
    readonly code: SessionStoreErrorCode,
    message: string,
    { cause, ...fields }: SessionStoreErrorFields = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, fields)
  }
}

/** An error as plain data. Comlink alone would keep name and message only. */
export interface WireError {
  store?: SessionStoreErrorCode
  name: string
  message: string
  stack?: string
  fields?: Omit<SessionStoreErrorFields, 'cause'>
  cause?: WireError
}

export function toWire(error: unknown): WireError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, stack, cause } = error
  const wire: WireError = { name, message, ...(stack !== undefined && { stack }) }
  if (cause !== undefined) wire.cause = toWire(cause)
  if (error instanceof SessionStoreError) {
    wire.store = error.code
    const { sessionId, readable, line, index } = error
    wire.fields = {
      ...(sessionId !== undefined && { sessionId }),
      ...(readable !== undefined && { readable }),
      ...(line !== undefined && { line }),
      ...(index !== undefined && { index }),
    }
  }
  return wire
}

export function fromWire(wire: WireError): Error {
  const cause = wire.cause === undefined ? undefined : fromWire(wire.cause)
  let error: Error
  if (wire.store === undefined) {
    error = new Error(wire.message, cause === undefined ? undefined : { cause })
    error.name = wire.name
  } else {
    error = new SessionStoreError(wire.store, wire.message, { ...wire.fields, cause })
  }
  if (wire.stack !== undefined) error.stack = wire.stack
  return error
}
