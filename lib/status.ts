/** How the store is doing, from what its calls come back with. */
import { SessionStoreError, type SessionStoreErrorCode } from './wire/errors.js'

/**
 * 'ready'; 'memory': nothing outlives the page; 'blocked': another tab holds the database; 'full': no room, what is
 * unsaved is kept here; 'gone': the database that was here before is empty; 'failed': the cause says why, `WORKER_FAILED` or
 * `CONNECTION_LOST` as a rule; 'closed'.
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
  #trouble: Trouble | undefined
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
    const trouble = error instanceof SessionStoreError ? troubleOf(error) : undefined
    // What is gone does not come back, and is the reason for whatever follows.
    if (trouble !== undefined && this.#trouble?.status !== 'gone') this.#change(() => (this.#trouble = trouble))
  }

  /** Something worked. That there is room again is only shown by a write. */
  worked(wrote: boolean): void {
    const status = this.#trouble?.status
    if (status === undefined || status === 'gone' || (status === 'full' && !wrote)) return
    this.#change(() => (this.#trouble = undefined))
  }

  closed(): void {
    this.#change(() => (this.#isClosed = true))
  }

  #change(change: () => void): void {
    const before = this.current
    change()
    if (this.current !== before) this.onChange(this.current, this.cause)
  }
}

function troubleOf(cause: SessionStoreError): Trouble | undefined {
  // A newer page has upgraded the database; of a file or a session of a newer format only its caller needs to know.
  const isOutdated = cause.code === 'FORMAT_UNSUPPORTED' && (cause.cause as Error | undefined)?.name === 'VersionError'
  const status = isOutdated ? 'failed' : TROUBLES[cause.code]
  return status && { status, cause }
}
