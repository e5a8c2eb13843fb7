/** What may become of a worker, and of the database behind it, as errors that say what to do next. */
import { SessionStoreError } from './wire/errors.js'

const CURE =
  'check that the page serves the worker script (network panel; with Vite 6 or 7 in dev set ' +
  "optimizeDeps.exclude: ['idb-sessions']), that the Content-Security-Policy allows it (worker-src), " +
  "or pass one of your own, made from a module that imports 'idb-sessions/worker': openSessions({ worker })"

/** It did not come up: a bundler, a proxy or a policy lost it. */
export function lost(what: string, cause?: unknown): SessionStoreError {
  return new SessionStoreError('WORKER_FAILED', `${what}; ${CURE}`, { cause })
}

/** The browser refused to make it. */
export function unmade(cause: unknown): SessionStoreError {
  const message = String((cause as Partial<Error> | null)?.message)
  const why = `the worker could not be made (${message})`
  if (globalThis.origin === 'null')
    return lost(`${why}; a sandboxed frame takes one made from a data: URL, see the README`, cause)
  if (!/Trusted/.test(message)) return lost(why, cause)
  return lost(
    `${why}; it takes a Trusted Types policy named 'default', made before openSessions, see the README`,
    cause,
  )
}

export function died(): SessionStoreError {
  const message = 'the worker died; another one is started, and what is not stored yet is sent again'
  return new SessionStoreError('WORKER_FAILED', message)
}

export function blockedBy(name: string): SessionStoreError {
  const message = `another tab keeps the database '${name}' from being opened; close other tabs of this page, or reload them`
  return new SessionStoreError('BLOCKED', message)
}

export function emptied(name: string): SessionStoreError {
  const message =
    `the database '${name}' that was here before is empty now: evicted by the browser, deleted or damaged; ` +
    'what is written from now on is kept'
  return new SessionStoreError('STORAGE_GONE', message)
}

/** The worker died, and the database with it, which was in memory. */
export function forgotten(name: string): SessionStoreError {
  const message =
    `'${name}' was kept in memory only, and is gone with its worker, which died; what is live can still be exported, ` +
    'and a reload begins with an empty one'
  return new SessionStoreError('STORAGE_GONE', message)
}

export function worn(): SessionStoreError {
  const message =
    'the worker died, and one that was passed as an object cannot be started again; events are kept and can be exported. ' +
    'Reload the page, and pass a function: openSessions({ worker: () => new Worker(…) })'
  return new SessionStoreError('WORKER_FAILED', message)
}
