/** The connection to IndexedDB, and the one way to run a transaction on it. */
import { openDB, type IDBPDatabase, type IDBPTransaction, type StoreNames } from 'idb'
import { randomToken } from '../lib/wire/token.js'
import { SessionStoreError, type SessionStoreErrorCode } from '../lib/wire/errors.js'
import type { Schema } from './records.js'

const VERSION = 1

/** How long an open may wait for other tabs, ms. */
const OPEN_LIMIT = 10_000
/** How long a transaction may take, its wait for others included, ms. A frozen tab can hold one for ever. */
const TRANSACTION_LIMIT = 30_000

export type Transaction<Mode extends 'readonly' | 'readwrite' = 'readonly' | 'readwrite'> = IDBPTransaction<
  Schema,
  StoreNames<Schema>[],
  Mode
>
export type WriteTransaction = Transaction<'readwrite'>

export interface WriteOptions {
  /** Safe against a power cut when it resolves. Default false: safe against a crash of tab or browser. */
  strict?: boolean
}

export class Database {
  #connection: Promise<IDBPDatabase<Schema>> | undefined

  constructor(readonly name: string) {}

  /** Opens the database and sees that it is one of ours. */
  async check(): Promise<void> {
    const record = await this.read(['store'], (tx) => tx.objectStore('store').get('store'))
    if (record === undefined) throw new SessionStoreError('FORMAT_UNSUPPORTED', `'${this.name}' is no session store`)
  }

  read<T>(stores: StoreNames<Schema>[], body: (tx: Transaction<'readonly'>) => Promise<T>): Promise<T> {
    return this.#transact(stores, 'readonly', 'default', body)
  }

  /**
   * Runs `body` in one transaction and resolves when that is complete. `body` awaits nothing but requests of this
   * transaction. What it throws aborts the transaction and is thrown on; so is what the browser reports, typed.
   */
  write<T>(
    stores: StoreNames<Schema>[],
    options: WriteOptions,
    body: (tx: WriteTransaction) => Promise<T>,
  ): Promise<T> {
    return this.#transact(stores, 'readwrite', options.strict ? 'strict' : 'relaxed', body)
  }

  async close(): Promise<void> {
    const connection = this.#connection
    this.#connection = undefined
    ;(await connection?.catch(() => undefined))?.close()
  }

  async #transact<T, Mode extends 'readonly' | 'readwrite'>(
    stores: StoreNames<Schema>[],
    mode: Mode,
    durability: IDBTransactionDurability,
    body: (tx: Transaction<Mode>) => Promise<T>,
  ): Promise<T> {
    const tx = await this.#begin(stores, mode, durability)
    const done = tx.done
    done.catch(() => {})
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      abort(tx)
    }, TRANSACTION_LIMIT)
    try {
      const result = await body(tx)
      tx.commit()
      await done
      return result
    } catch (error) {
      abort(tx)
      await done.catch(() => {})
      if (timedOut) throw new SessionStoreError('BLOCKED', stuckMessage(this.name), { cause: error })
      const failure = tx.error ?? error
      // A database whose server went away, or whose disk fails: the next call opens it anew.
      if (nameOf(failure) === 'UnknownError') await this.close()
      throw typed(failure, error, mode)
    } finally {
      clearTimeout(timer)
    }
  }

  async #begin<Mode extends 'readonly' | 'readwrite'>(
    stores: StoreNames<Schema>[],
    mode: Mode,
    durability: IDBTransactionDurability,
  ): Promise<IDBPTransaction<Schema, StoreNames<Schema>[], Mode>> {
    const connection = this.#open()
    try {
      return (await connection).transaction(stores, mode, { durability })
    } catch (error) {
      if (!isClosed(error)) throw typed(error, error, mode)
    }
    // The browser closed the connection since it was last used. Nothing was begun, so it is safe to begin again.
    if (this.#connection === connection) this.#connection = undefined
    try {
      return (await this.#open()).transaction(stores, mode, { durability })
    } catch (error) {
      throw typed(error, error, mode)
    }
  }

  #open(): Promise<IDBPDatabase<Schema>> {
    if (this.#connection !== undefined) return this.#connection
    const connection = open(this.name, () => {
      if (this.#connection === connection) this.#connection = undefined
    })
    this.#connection = connection
    connection.catch(() => {
      if (this.#connection === connection) this.#connection = undefined
    })
    return connection
  }
}

/** A request whose outcome the transaction's own tells. */
export function queue(request: Promise<unknown>): void {
  request.catch(() => {})
}

async function open(name: string, lost: () => void): Promise<IDBPDatabase<Schema>> {
  if (typeof indexedDB === 'undefined') {
    throw new SessionStoreError('STORAGE_UNAVAILABLE', 'this browser, or its private mode, offers no IndexedDB')
  }
  let late = false
  let timer: ReturnType<typeof setTimeout> | undefined
  // A forbidden IndexedDB throws at once, a broken one rejects.
  const begin = async (): Promise<IDBPDatabase<Schema>> =>
    openDB<Schema>(name, VERSION, {
      upgrade: createStores,
      // Another page wants to upgrade or delete the database: let it. The next call opens it anew.
      blocking(_current, _blocked, event) {
        lost()
        ;(event.target as IDBDatabase).close()
      },
      terminated: lost,
    })
  const opening = begin()
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      late = true
      reject(new SessionStoreError('BLOCKED', blockedMessage(name)))
    }, OPEN_LIMIT)
  })
  // One that opens after the limit would block other tabs for nothing.
  opening.then((db) => late && db.close()).catch(() => {})
  try {
    return await Promise.race([opening, limit])
  } catch (error) {
    throw error instanceof SessionStoreError ? error : openError(name, error)
  } finally {
    clearTimeout(timer)
  }
}

function createStores(db: IDBPDatabase<Schema>): void {
  const sessions = db.createObjectStore('sessions', { keyPath: 'id' })
  sessions.createIndex('log', 'log')
  sessions.createIndex('lineage', 'lineage')
  const lineages = db.createObjectStore('lineages', { keyPath: 'key' })
  lineages.createIndex('logs', 'logs', { multiEntry: true })
  lineages.createIndex('up', 'up')
  db.createObjectStore('segments', { keyPath: ['log', 'first'] })
  db.createObjectStore('staging', { keyPath: 'log' })
  const store = db.createObjectStore('store', { keyPath: 'key' })
  queue(store.put({ key: 'store', version: VERSION, id: randomToken() }))
}

function abort(tx: { abort(): void }): void {
  try {
    tx.abort()
  } catch {
    // It is over already.
  }
}

function isClosed(error: unknown): boolean {
  return nameOf(error) === 'InvalidStateError'
}

function nameOf(error: unknown): string | undefined {
  return (error as { name?: string } | null)?.name
}

function blockedMessage(name: string): string {
  return `another tab holds the database '${name}'; close other tabs of this page, or reload them`
}

function stuckMessage(name: string): string {
  const limit = TRANSACTION_LIMIT / 1000
  return `a transaction on '${name}' did not end within ${limit} s; another tab may hold it: close or reload other tabs`
}

function openError(name: string, cause: unknown): SessionStoreError {
  if (nameOf(cause) === 'VersionError') {
    const message = `the database '${name}' was written by a newer version; reload to get that version`
    return new SessionStoreError('FORMAT_UNSUPPORTED', message, { cause })
  }
  if (nameOf(cause) === 'QuotaExceededError') return typed(cause, cause, 'readwrite') as SessionStoreError
  const message = `the database '${name}' cannot be opened (${nameOf(cause)}); private mode or a damaged profile does this`
  return new SessionStoreError('STORAGE_UNAVAILABLE', message, { cause })
}

const CODES: Record<string, [SessionStoreErrorCode, string]> = {
  NotFoundError: ['FORMAT_UNSUPPORTED', 'this database holds something else than sessions; open one of another name'],
  QuotaExceededError: ['STORAGE_FULL', 'the browser has no room left; export or delete sessions, or free disk space'],
  UnknownError: ['STORAGE_FULL', 'the browser could not write to the disk; it may be full'],
  InvalidStateError: ['CONNECTION_LOST', 'the browser closed the database; try again, or reload the page'],
  AbortError: ['CONNECTION_LOST', 'the browser gave the transaction up; try again, or reload the page'],
}

/** The browser's error as one of ours; what is ours already, or a plain bug, stays what it is. */
function typed(error: unknown, original: unknown, mode: 'readonly' | 'readwrite'): unknown {
  if (original instanceof SessionStoreError) return original
  const name = nameOf(error) ?? ''
  // Reading needs no room, so there it is not the disk that is full.
  const known = name === 'UnknownError' && mode === 'readonly' ? undefined : CODES[name]
  if (known !== undefined) return new SessionStoreError(...known, { cause: error })
  if (!(error instanceof DOMException)) return original
  return new SessionStoreError('CONNECTION_LOST', `IndexedDB failed (${name}); try again, or reload`, { cause: error })
}
