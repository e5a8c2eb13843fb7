/** Running a transaction to its end, in bounded time. */
import type { IDBPDatabase, IDBPTransaction, StoreNames } from 'idb'
import { SessionStoreError } from '../lib/wire/errors.js'
import { afterSeconds } from '../lib/wire/limit.js'
import { stuck, Unreadable } from './failures.js'
import type { Schema } from './records.js'

export type Mode = 'readonly' | 'readwrite'
export type Transaction<M extends Mode = Mode> = IDBPTransaction<Schema, StoreNames<Schema>[], M>
export type WriteTransaction = Transaction<'readwrite'>

export interface Terms<M extends Mode> {
  stores: StoreNames<Schema>[]
  mode: M
  durability: IDBTransactionDurability
  /** Of its whole time, the wait for others included. */
  seconds: number
  /** It begins when this has settled. */
  after?: Promise<unknown>
}

/**
 * Resolves with what `body` gives when the transaction is complete. Rejects with what the body throws, else with what the
 * browser reports, as it is; with `BLOCKED` when the time is over, whatever the engine does: one that hangs does not even
 * end what it is told to abort.
 */
export async function complete<T, M extends Mode>(
  db: IDBPDatabase<Schema>,
  { stores, mode, durability, seconds, after }: Terms<M>,
  body: (tx: Transaction<M>) => Promise<T>,
): Promise<T> {
  let tx: Transaction<M> | undefined
  let late: SessionStoreError | undefined
  let inTime = (): void => {}
  const limit = new Promise<never>((_, reject) => {
    inTime = afterSeconds(seconds, () => {
      late = stuck(db.name, seconds)
      reject(late)
      if (tx !== undefined) abort(tx)
    })
  })
  const run = async (): Promise<T> => {
    await after
    if (late !== undefined) throw late
    tx = db.transaction(stores, mode, { durability })
    return untilEnd(tx, body)
  }
  try {
    return await Promise.race([run(), limit])
  } finally {
    inTime()
  }
}

async function untilEnd<T, M extends Mode>(tx: Transaction<M>, body: (tx: Transaction<M>) => Promise<T>): Promise<T> {
  const { done } = tx
  done.catch(() => {})
  try {
    const result = await body(tx)
    tx.commit()
    await done
    return result
  } catch (error) {
    abort(tx)
    await done.catch(() => {})
    throw error instanceof SessionStoreError || error instanceof Unreadable ? error : (tx.error ?? error)
  }
}

/** A request whose outcome the transaction's own tells. */
export function queue(request: Promise<unknown>): void {
  request.catch(() => {})
}

function abort(tx: { abort(): void }): void {
  try {
    tx.abort()
  } catch {
    // It is over already.
  }
}
