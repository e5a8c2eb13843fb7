/** The event store as the page calls it: one method a call, each answered by the module that owns its subject. */
import { SessionStoreError } from '../lib/wire/errors.js'
import { PROTOCOL, type AppendRequest, type Calls, type Reading } from '../lib/wire/protocol.js'
import { Database } from './database.js'
import { deleteSessions } from './delete.js'
import { Imports } from './import.js'
import { merge, MERGE_AT, smallAtEnd } from './merge.js'
import { read } from './read.js'
import { append, create, exists, flush, fork, list, load, unreserve } from './sessions.js'
import { Staging } from './staging.js'

type Serves<T> = { [K in keyof T]: T[K] extends (...args: infer A) => infer R ? (...args: A) => R | Promise<R> : never }

interface Opened {
  db: Database
  staging: Staging
  imports: Imports
}

export class EventStore implements Serves<Calls> {
  #opened: Opened | undefined
  /** Small segments at the end of a session's own log, as far as is known here. */
  readonly #small = new Map<string, number>()

  async open(name: string, protocol: number): Promise<{ id: string }> {
    if (protocol !== PROTOCOL) {
      const message = 'page and worker are of different versions of idb-sessions; reload the page'
      throw new SessionStoreError('WORKER_FAILED', message)
    }
    if (this.#opened !== undefined) {
      throw new SessionStoreError(
        'WORKER_FAILED',
        'this worker serves a store already; each store needs a worker of its own',
      )
    }
    const db = new Database(name)
    const id = await db.id()
    const staging = new Staging(db)
    this.#opened = { db, staging, imports: new Imports(db, staging) }
    // Nobody waits for it, and what it could not free now is freed by a later open.
    staging.freeAbandoned().catch(() => {})
    return { id }
  }

  ping = (): void => {}
  exists: Serves<Calls>['exists'] = (id) => exists(this.#db, id)
  list: Serves<Calls>['list'] = () => list(this.#db)
  fork: Serves<Calls>['fork'] = (request) => fork(this.#db, request)
  load: Serves<Calls>['load'] = (request) => load(this.#db, request)
  flush: Serves<Calls>['flush'] = (id, epoch) => flush(this.#db, id, epoch)
  unreserve: Serves<Calls>['unreserve'] = (id, epoch) => unreserve(this.#db, id, epoch)
  delete: Serves<Calls>['delete'] = (ids) => deleteSessions(this.#db, ids)
  merge: Serves<Calls>['merge'] = (id) => merge(this.#db, id)
  stage: Serves<Calls>['stage'] = (op, segments) => this.#open.staging.write(op, segments, true)
  importBegin: Serves<Calls>['importBegin'] = (op, id, types) => this.#open.imports.begin(op, id, types)
  importWrite: Serves<Calls>['importWrite'] = (op, bytes) => this.#open.imports.write(op, bytes)
  importEnd: Serves<Calls>['importEnd'] = (op) => this.#open.imports.end(op)

  create: Serves<Calls>['create'] = async (request) => {
    const length = await create(this.#db, request)
    this.#open.staging.done(request.op)
    return length
  }

  unstage: Serves<Calls>['unstage'] = (op) => {
    this.#open.imports.drop(op)
    return this.#open.staging.drop(op)
  }

  read: Serves<Calls>['read'] = async (id, from): Promise<Reading> => {
    const reading = await read(this.#db, id, from)
    const small = smallAtEnd(reading.parts.map((part) => part.bytes.byteLength))
    this.#small.set(id, small === reading.parts.length && from > 0 ? small + (this.#small.get(id) ?? 0) : small)
    return reading
  }

  append = async (request: AppendRequest): Promise<number> => {
    const length = await append(this.#db, request)
    const { id } = request
    const small = (this.#small.get(id) ?? 0) + request.segments.length
    this.#small.set(id, small)
    if (small >= MERGE_AT) {
      this.#small.set(id, 0)
      // A merge changes nothing that anyone sees. One that fails is tried again after as many appends.
      merge(this.#db, id).catch(() => {})
    }
    return length
  }

  /** Closes the database; for tests, whose worker does not end with a page. */
  async close(): Promise<void> {
    await this.#opened?.db.close()
  }

  get #open(): Opened {
    if (this.#opened === undefined) throw new SessionStoreError('WORKER_FAILED', 'the worker was not opened')
    return this.#opened
  }

  get #db(): Database {
    return this.#open.db
  }
}
