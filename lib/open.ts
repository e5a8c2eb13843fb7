/** Opening a store. */
import { Connection, type WorkerSource } from './connection.js'
import { ownTypesProblem } from './log/admit.js'
import type { Rules } from './log/turns.js'
import { SessionStore } from './store.js'

export interface OpenSessionsOptions {
  /** Name of the IndexedDB database. Default 'idb-sessions'. */
  name?: string
  /**
   * Default: this package's own worker. Pass one where a bundler or a Content-Security-Policy needs it. A function can
   * start another after a crash, a `Worker` object cannot.
   */
  worker?: WorkerSource
  /** Where a fork may be made. Default 'rfc': at a `turn/end`. 'harness': as DSH does today. */
  rules?: Rules
  /**
   * Without usable IndexedDB: 'none' (default) refuses, with `STORAGE_UNAVAILABLE`; 'memory' keeps everything in memory, for as
   * long as the page lives: `status` is 'memory' then, and `flush` resolves to false.
   */
  fallback?: 'none' | 'memory'
  /** The application's own event types, beside the known ones of `spec` 1.5. */
  eventTypes?: readonly string[]
}

const DEFAULT_NAME = 'idb-sessions'

interface Opened {
  store: Promise<SessionStore>
  rules: Rules
  eventTypes: readonly string[]
  closing?: Promise<void>
}

const opened = new Map<string, Opened>()

/**
 * Opens the sessions of a database, in a worker of this page. The same name opened again in one page gives the same
 * store, until it is closed.
 *
 * Rejects with `SessionStoreError`: `WORKER_FAILED` (says what to check), `STORAGE_UNAVAILABLE` (no usable IndexedDB), `BLOCKED`
 * (another tab holds the database), `FORMAT_UNSUPPORTED` (written by a newer version), `STORAGE_FULL`; with a `TypeError` when
 * options are no such options, or contradict those of the store that is open under this name.
 */
export async function openSessions(options: OpenSessionsOptions = {}): Promise<SessionStore> {
  if (typeof options !== 'object' || options === null) throw new TypeError('openSessions takes { name, … }')
  const { name = DEFAULT_NAME, worker, rules = 'rfc', fallback = 'none', eventTypes = [] } = options
  if (typeof name !== 'string') throw new TypeError('openSessions: name is a string')
  if (rules !== 'rfc' && rules !== 'harness') throw new TypeError("openSessions: rules is 'rfc' or 'harness'")
  if (fallback !== 'none' && fallback !== 'memory') throw new TypeError("openSessions: fallback is 'none' or 'memory'")
  if (worker !== undefined && typeof worker !== 'function' && typeof worker?.postMessage !== 'function') {
    throw new TypeError('openSessions: worker is a Worker, or a function that makes one')
  }
  const problem = ownTypesProblem(eventTypes)
  if (problem !== undefined) throw new TypeError(`openSessions: ${problem}`)

  const there = opened.get(name)
  if (there?.closing !== undefined) {
    // It is on its way out: what is asked for is the one after it, or this one, should it stay.
    await there.closing.catch(() => {})
    return openSessions(options)
  }
  if (there !== undefined) {
    if (contradicts(there, options)) {
      throw new TypeError(`openSessions: '${name}' is open here with other rules or eventTypes; close it first`)
    }
    return there.store
  }
  const connection = new Connection(name, worker, fallback)
  const forget = (): void => {
    if (opened.get(name) === entry) opened.delete(name)
  }
  const closing = (closed: Promise<void>): void => {
    entry.closing = closed
    closed.then(forget, () => delete entry.closing)
  }
  const opening = async (): Promise<SessionStore> => {
    await connection.open()
    return new SessionStore(connection, rules, new Set(eventTypes), { closing })
  }
  const entry: Opened = { store: opening(), rules, eventTypes }
  opened.set(name, entry)
  entry.store.catch((error: Error) => {
    forget()
    connection.end(error)
  })
  return entry.store
}

function contradicts(there: Opened, { rules, eventTypes }: OpenSessionsOptions): boolean {
  if (rules !== undefined && rules !== there.rules) return true
  if (eventTypes === undefined) return false
  const known = new Set(there.eventTypes)
  return known.size !== new Set(eventTypes).size || eventTypes.some((type) => !known.has(type))
}
