/**
 * Logs too large for one transaction. They are written in bounded transactions under a name that no session has yet;
 * the one that adds the session takes them. A page that dies on the way leaves them to the next open.
 */
import type { Segment } from '../lib/log/jsonl.js'
import type { Summary } from '../lib/log/summary.js'
import { SessionStoreError } from '../lib/wire/errors.js'
import { stagingLock } from '../lib/wire/protocol.js'
import type { Database } from './database.js'
import { hasLocks, holdLock, ifFree } from './locks.js'
import { addSegments, logRange, needsStrict, toRecords } from './segments.js'
import { queue, type WriteTransaction } from './transaction.js'

/** Without Web Locks, a staged log that was not touched for a day is nobody's, ms. */
const ABANDONED_AFTER = 24 * 60 * 60 * 1000

export class Staging {
  /** Frees the lock that shows other pages that a staged log is alive. */
  readonly #release = new Map<string, () => void>()

  constructor(private readonly db: Database) {}

  async write(log: string, segments: readonly Segment[], own: boolean): Promise<void> {
    if (!this.#release.has(log)) this.#release.set(log, await holdLock(stagingLock(this.db.name, log)))
    await this.db.write(['segments', 'staging'], { strict: needsStrict(segments) }, async (tx) => {
      const staged = await tx.objectStore('staging').get(log)
      const length = staged?.length ?? 0
      // Sent again after a lost answer.
      if (length > segments[0]!.first) return
      if (length < segments[0]!.first) throw gone()
      const { records, after } = toRecords(log, segments, own, staged?.summary ?? { lastTime: 0 })
      addSegments(tx, records)
      const last = records.at(-1)!
      queue(
        tx.objectStore('staging').put({ log, length: last.first + last.count, summary: after, touched: Date.now() }),
      )
    })
  }

  /** After the log has become a session's. */
  done(log: string): void {
    this.#release.get(log)?.()
    this.#release.delete(log)
  }

  async drop(log: string): Promise<void> {
    if (!this.#release.has(log)) return
    try {
      await this.#free(log)
    } finally {
      // What could not be freed is free for the next open to do it.
      this.done(log)
    }
  }

  /** Frees what dead pages have left behind. */
  async freeAbandoned(): Promise<void> {
    const left = await this.db.read(['staging'], (tx) => tx.objectStore('staging').getAll())
    for (const { log, touched } of left) {
      if (this.#release.has(log)) continue
      if (hasLocks) await ifFree(stagingLock(this.db.name, log), () => this.#free(log))
      else if (Date.now() - touched > ABANDONED_AFTER) await this.#free(log)
    }
  }

  /** Only while it is still staged: by now it may have become a session's log. */
  #free(log: string): Promise<void> {
    return this.db.write(['segments', 'staging'], {}, async (tx) => {
      if ((await tx.objectStore('staging').getKey(log)) === undefined) return
      queue(tx.objectStore('segments').delete(logRange(log)))
      queue(tx.objectStore('staging').delete(log))
    })
  }
}

/** Ends the staging of a log, for the transaction that makes it a session's. Returns the summary of its events. */
export async function takeStaged(tx: WriteTransaction, log: string, length: number): Promise<Summary> {
  const staged = await tx.objectStore('staging').get(log)
  if (staged?.length !== length) throw gone()
  queue(tx.objectStore('staging').delete(log))
  return staged.summary
}

function gone(): SessionStoreError {
  return new SessionStoreError('CONNECTION_LOST', 'what was written of the log so far is gone; start again')
}
