/** The connection to IndexedDB, and the one way to run a transaction on it. */
import type { IDBPDatabase, StoreNames } from 'idb'
import { SessionStoreError } from '../lib/wire/errors.js'
import type { News } from '../lib/wire/protocol.js'
import { gone, isLost, nameOf, notAgain, typed } from './failures.js'
import { FORMAT, newStore, storeRecord, type Format } from './format.js'
import { memoryDatabase } from './memory.js'
import { Opening } from './opening.js'
import type { Schema, StoreRecord } from './records.js'
import { complete, type Mode, type Transaction, type WriteTransaction } from './transaction.js'

/** How long a transaction may take, its wait for others included, s. A frozen tab can hold one for ever. */
const TRANSACTION_LIMIT = 30

export interface WriteOptions {
  /** Safe against a power cut when it resolves. Default false: safe against a crash of tab or browser. */
  strict?: boolean
}

export interface DatabaseOptions {
  format?: Format
  /** Where there is no usable IndexedDB, keep everything in memory. Default: refuse. */
  fallback?: 'none' | 'memory'
  /** The id that the database has; an empty one in its place is refused. Default: whatever is there. */
  known?: string | undefined
  /** What the page should know before its next call. */
  tell?: (news: News) => void
}

export class Database {
  #connection: Promise<IDBPDatabase<Schema>> | undefined
  /**
   * Settles with the transaction that was asked for last. They run one at a time, as nearly all of them would anyway: of a
   * worker that ends while a second one waits behind its first, WebKit begins the second all the same, and never ends it.
   */
  #last: Promise<unknown> = Promise.resolve()
  #id: string | undefined
  #isMemory = false
  readonly #format: Format
  readonly #fallback: 'none' | 'memory'
  readonly #opening: Opening

  constructor(
    readonly name: string,
    { format = FORMAT, fallback = 'none', known, tell = () => {} }: DatabaseOptions = {},
  ) {
    this.#format = format
    this.#fallback = fallback
    this.#id = known
    this.#opening = new Opening(name, format, tell)
  }

  /** Opens the database and sees that it is one of ours. */
  async check(): Promise<{ id: string; isMemory: boolean }> {
    await this.#open()
    return { id: this.#id!, isMemory: this.#isMemory }
  }

  read<T>(stores: StoreNames<Schema>[], body: (tx: Transaction<'readonly'>) => Promise<T>): Promise<T> {
    return this.#transact(stores, 'readonly', 'default', body)
  }

  /**
   * Runs `body` in one transaction and resolves when that is complete. `body` awaits nothing but requests of this
   * transaction. What it throws aborts the transaction and is thrown on; so is what the browser reports, typed. When the
   * browser closes the connection meanwhile it is run once more, and finds what it wrote, should that have landed.
   */
  write<T>(
    stores: StoreNames<Schema>[],
    options: WriteOptions,
    body: (tx: WriteTransaction, isAgain: boolean) => Promise<T>,
  ): Promise<T> {
    return this.#transact(stores, 'readwrite', options.strict ? 'strict' : 'relaxed', body)
  }

  /** The page has sent what it had; whoever wants the database may have it. */
  leave(): void {
    this.#opening.leave()
  }

  /** For good: what has not begun by then fails. */
  async close(): Promise<void> {
    const connection = this.#connection
    this.#connection = Promise.reject(new SessionStoreError('CLOSED', 'the database was closed'))
    this.#connection.catch(() => {})
    ;(await connection?.catch(() => undefined))?.close()
  }

  async #transact<T, M extends Mode>(
    stores: StoreNames<Schema>[],
    mode: M,
    durability: IDBTransactionDurability,
    body: (tx: Transaction<M>, isAgain: boolean) => Promise<T>,
  ): Promise<T> {
    for (let isAgain = false; ; isAgain = true) {
      const connection = this.#open()
      const db = await connection
      try {
        const terms = { stores, mode, durability, seconds: TRANSACTION_LIMIT, after: this.#last }
        const run = complete(db, terms, (tx) => body(tx, isAgain))
        this.#last = run.catch(() => {})
        return await run
      } catch (error) {
        // A connection that was closed, or whose server went away, or that Firefox made read-only when the disk was full.
        if (isLost(error) || nameOf(error) === 'QuotaExceededError') {
          if (this.#connection === connection) this.#connection = undefined
          db.close()
        }
        if (isAgain || !isLost(error)) throw typed(error, mode)
      }
    }
  }

  #open(): Promise<IDBPDatabase<Schema>> {
    if (this.#connection !== undefined) return this.#connection
    const connection = this.#openAndCheck(() => {
      if (this.#connection === connection) this.#connection = undefined
    })
    this.#connection = connection
    connection.catch(() => {
      if (this.#connection === connection) this.#connection = undefined
    })
    return connection
  }

  async #openAndCheck(lost: () => void, isAgain = false): Promise<IDBPDatabase<Schema>> {
    let db: IDBPDatabase<Schema>
    try {
      db = await this.#opening.open(this.#id !== undefined, lost)
    } catch (error) {
      if (!(error instanceof SessionStoreError) || error.code !== 'STORAGE_UNAVAILABLE') throw error
      // A database that was there has not become one in memory.
      if (this.#id !== undefined) throw notAgain(this.name, error.cause)
      if (this.#fallback === 'none') throw error
      this.#isMemory = true
      db = memoryDatabase(this.name, newStore(this.#format.version))
    }
    let record: StoreRecord
    try {
      record = await storeRecord(db, this.name)
    } catch (error) {
      if (isAgain || !isLost(error)) throw typed(error, 'readonly')
      return this.#openAndCheck(lost, true)
    }
    if (this.#id !== undefined && this.#id !== record.id) {
      db.close()
      throw gone(this.name)
    }
    this.#id = record.id
    return db
  }
}
