/** How the store is doing, from what its calls come back with. */
import type { SessionId } from './log/event.js'
import { SessionStoreError, type SessionStoreErrorCode } from './wire/errors.js'

/**
 * 'ready'; 'memory': nothing outlives the page; 'blocked': another tab holds the database; 'full': no room, what is
 * unsaved is kept here; 'gone': the database that was here before is empty; 'failed': the cause says why, `WORKER_FAILED` or
 * `CONNECTION_LOST` as a rule, and with a `sessionId` it is only what follows in that session that cannot be stored, or read
 * where it is followed; 'closed'.
 */
export type StoreStatus = 'ready' | 'memory' | 'blocked' | 'full' | 'gone' | 'failed' | 'closed'

/** What is wrong, for as long as it lasts. */
interface Trouble {
  status: 'blocked' | 'full' | 'gone' | 'failed'
  cause: SessionStoreError
}

const TROUBLES: Partial<Record<SessionStoreErrorCode, Trouble['status']>> = {
  BLOCKED: 'blocked',
  STORAGE_FULL: 'full',
  STORAGE_GONE: 'gone',
  STORAGE_UNAVAILABLE: 'failed',
  WORKER_FAILED: 'failed',
  CONNECTION_LOST: 'failed',
}

export class StatusBoard {
  /** What it is when nothing is wrong. */
  #usual: 'ready' | 'memory' = 'ready'
  /** The database has gone while it was open. It does not come back, and is the reason for whatever follows. */
  #gone: Trouble | undefined
  /** What lasts until a call works again. */
  #passing: Trouble | undefined
  /** That there is room again is only shown by a write. */
  #full: Trouble | undefined
  /** Sessions whose events cannot be stored, though the rest works. */
  readonly #stuck = new Map<SessionId, Trouble>()
  /** The database was found empty: all works, and there is nothing more to tell. */
  #emptied: Trouble | undefined
  /** Why views of sessions cannot go on, though the rest works. */
  readonly #unreadable = new Set<Trouble>()
  #isClosed = false
  /** The status has changed. */
  onChange: (status: StoreStatus, cause: SessionStoreError | undefined) => void = () => {}

  get current(): StoreStatus {
    if (this.#isClosed) return 'closed'
    return this.#trouble?.status ?? this.#usual
  }

  get cause(): SessionStoreError | undefined {
    return this.#isClosed ? undefined : this.#trouble?.cause
  }

  usual(usual: 'ready' | 'memory'): void {
    this.#change(() => (this.#usual = usual))
  }

  /** Something failed. Most errors are the caller's, and tell nothing about the store. */
  failed(error: unknown): void {
    const trouble = troubleOf(error)
    if (trouble === undefined) return
    this.#change(() => {
      if (trouble.status === 'gone') this.#gone ??= trouble
      else if (trouble.status === 'full') this.#full = trouble
      else this.#passing = trouble
    })
  }

  /** Something worked. */
  worked(wrote: boolean): void {
    this.#change(() => {
      this.#passing = undefined
      if (wrote) this.#full = undefined
    })
  }

  /** What follows in a live session was not stored. What is wrong with the whole store `failed` has told already. */
  notStored(id: SessionId, error: unknown): void {
    if (troubleOf(error) !== undefined) return
    this.#change(() => this.#stuck.set(id, { status: 'failed', cause: unstorable(id, error) }))
  }

  /** It was, or is nobody's concern any more. */
  stored(id: SessionId): void {
    if (this.#stuck.size > 0) this.#change(() => this.#stuck.delete(id))
  }

  /** The database that was here on the last visit is empty. */
  emptied(cause: SessionStoreError): void {
    this.#change(() => (this.#emptied = { status: 'gone', cause }))
  }

  /** What comes in a session that is followed cannot be read. Returns what takes that back. */
  unreadable(cause: SessionStoreError): () => void {
    const trouble: Trouble = { status: 'failed', cause }
    this.#change(() => this.#unreadable.add(trouble))
    return () => this.#change(() => this.#unreadable.delete(trouble))
  }

  closed(): void {
    this.#change(() => (this.#isClosed = true))
  }

  get #trouble(): Trouble | undefined {
    const [stuck] = this.#stuck.values()
    const [unreadable] = this.#unreadable
    return this.#gone ?? this.#passing ?? this.#full ?? stuck ?? unreadable ?? this.#emptied
  }

  #change(change: () => void): void {
    const before = this.current
    change()
    if (this.current !== before) this.onChange(this.current, this.cause)
  }
}

function troubleOf(cause: unknown): Trouble | undefined {
  if (!(cause instanceof SessionStoreError)) return undefined
  // A newer page has upgraded the database; of a file or a session of a newer format only its caller needs to know.
  const isOutdated = cause.code === 'FORMAT_UNSUPPORTED' && (cause.cause as Error | undefined)?.name === 'VersionError'
  const status = isOutdated ? 'failed' : TROUBLES[cause.code]
  return status && { status, cause }
}

function unstorable(sessionId: SessionId, cause: unknown): SessionStoreError {
  const code = cause instanceof SessionStoreError ? cause.code : 'WORKER_FAILED'
  const why = cause instanceof Error ? cause.message : String(cause)
  const message =
    `what follows in the session '${sessionId}' cannot be stored: ${why}; its events are kept while the page lives: ` +
    'export it, and import that as another session'
  return new SessionStoreError(code, message, { sessionId, cause })
}
