/** The event store as the page calls it: one call each, answered by the module that owns its subject. */
import { SessionStoreError } from '../lib/wire/errors.js'
import {
  aliveLock,
  PROTOCOL,
  type AppendRequest,
  type Calls,
  type CreateRequest,
  type News,
  type Opened,
  type OpenRequest,
  type Reading,
} from '../lib/wire/protocol.js'
import { Database } from './database.js'
import { branches, shared } from './branches.js'
import { deleteSessions, undo } from './delete.js'
import { Imports } from './import.js'
import { holdLock } from './locks.js'
import { merge, MERGE_AT, smallAtEnd } from './merge.js'
import { read } from './read.js'
import { freeReservations, unreserve } from './reservations.js'
import { append, create, exists, flush, fork, list, load, setTitle, someRows } from './sessions.js'
import { Staging } from './staging.js'

type Serves<T> = { [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => R | Promise<R> : never }

interface Parts {
  db: Database
  staging: Staging
  imports: Imports
}

export class EventStore {
  #opened: Parts | undefined
  /** Small segments at the end of a session's own log, as far as is known here. */
  readonly #small = new Map<string, number>()

  constructor(private readonly tell: (news: News) => void = () => {}) {}

  /** What a page may call, by name. */
  readonly calls: Serves<Calls> = {
    open: (request) => this.#openDatabase(request),
    ping: () => {},
    exists: (id) => exists(this.#db, id),
    list: () => list(this.#db),
    rows: (ids) => someRows(this.#db, ids),
    create: (request) => this.#create(request),
    fork: (request) => fork(this.#db, request),
    load: (request) => load(this.#db, request),
    append: (request) => this.#append(request),
    flush: (id, epoch) => flush(this.#db, id, epoch),
    setTitle: (id, title, token) => setTitle(this.#db, id, title, token),
    unreserve: (id, epoch) => unreserve(this.#db, id, epoch),
    read: (id, from) => this.#read(id, from),
    branches: (id, token) => branches(this.#db, id, token),
    shared: (a, b) => shared(this.#db, a, b),
    delete: (ids) => {
      for (const id of ids) this.#small.delete(id)
      return deleteSessions(this.#db, ids)
    },
    merge: (id) => merge(this.#db, id),
    undo: (op) => undo(this.#db, op),
    leave: () => this.#db.leave(),
    stage: (op, segments) => this.#open.staging.write(op, segments, true),
    unstage: (op) => {
      this.#open.imports.drop(op)
      return this.#open.staging.drop(op)
    },
    importBegin: (op, id, eventTypes) => this.#open.imports.begin(op, id, eventTypes),
    importWrite: (op, bytes) => this.#open.imports.write(op, bytes),
    importEnd: (op) => this.#open.imports.end(op),
  }

  /** Closes the database; for tests, whose worker does not end with a page. */
  async close(): Promise<void> {
    await this.#opened?.db.close()
  }

  async #openDatabase({ name, protocol, token, ...options }: OpenRequest): Promise<Opened> {
    if (protocol !== PROTOCOL) {
      const message = 'page and worker are of different versions of idb-sessions; reload the page'
      throw new SessionStoreError('WORKER_FAILED', message)
    }
    if (this.#opened !== undefined) {
      const message = 'this worker serves a store already; each store needs a worker of its own'
      throw new SessionStoreError('WORKER_FAILED', message)
    }
    const db = new Database(name, { ...options, tell: this.tell })
    const opened = await db.check()
    await holdLock(aliveLock(name, token))
    const staging = new Staging(db)
    this.#opened = { db, staging, imports: new Imports(db, staging) }
    // Nobody waits for these, and what they could not free now is freed by a later open.
    staging.freeAbandoned().catch(() => {})
    freeReservations(db).catch(() => {})
    return opened
  }

  async #create(request: CreateRequest): Promise<number> {
    const length = await create(this.#db, request)
    this.#open.staging.done(request.op)
    return length
  }

  async #append(request: AppendRequest): Promise<number> {
    const length = await append(this.#db, request)
    const { id, segments } = request
    const small = (this.#small.get(id) ?? 0) + segments.length
    this.#small.set(id, small)
    if (small >= MERGE_AT) {
      this.#small.set(id, 0)
      // A merge changes nothing that anyone sees. One that fails is tried again after as many appends.
      merge(this.#db, id).catch(() => {})
    }
    return length
  }

  async #read(id: string, from: number): Promise<Reading> {
    const reading = await read(this.#db, id, from)
    const small = smallAtEnd(reading.parts.map((part) => part.bytes.byteLength))
    const before = small === reading.parts.length && from > 0 ? (this.#small.get(id) ?? 0) : 0
    this.#small.set(id, before + small)
    return reading
  }

  get #open(): Parts {
    if (this.#opened === undefined) throw new SessionStoreError('WORKER_FAILED', 'the worker was not opened')
    return this.#opened
  }

  get #db(): Database {
    return this.#open.db
  }
}
