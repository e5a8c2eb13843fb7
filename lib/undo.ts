/** Calls that were made and whose answer was lost. */
import type { Connection } from './connection.js'
import { SessionStoreError, type SessionStoreErrorCode } from './wire/errors.js'

const LOST: readonly SessionStoreErrorCode[] = ['WORKER_FAILED', 'CONNECTION_LOST']

/**
 * A worker that died may have stored what it was asked to, and so may a database that was closed before it said so, twice:
 * what is rejected has to leave nothing behind. Does nothing when the failure was another one, and when no other worker can
 * be started.
 */
export async function undoIfLost(connection: Connection, op: string, failure: unknown): Promise<void> {
  if (!(failure instanceof SessionStoreError) || !LOST.includes(failure.code)) return
  const undo = (): Promise<void> => connection.call('undo', op)
  // The next worker may die as well.
  await undo().catch(() => undo().catch(() => {}))
}
