/**
 * IndexedDB under the worker's code, with what browsers do at a bad moment. For Node alone, where page and worker share it.
 * Everything that can go wrong by itself is a step: a transaction's beginning, each request, its commit.
 */
import { forceCloseDatabase } from 'fake-indexeddb'
import { inBrowser } from './page.js'

/** What happens at a step. */
export type Fault =
  /** The page dies: the transaction is aborted, and nothing works for it any more. */
  | 'dies'
  /** The browser gives the transaction up, once. At a commit, only `abort` is fired. */
  | 'aborts'
  /** The browser closes the connection, and the transaction with it. */
  | 'closes'
  /** There is no room. Reading needs none, so it is the next request that writes, or the commit, that fails. */
  | 'full'
  /** The next commit is on the disk, but the browser's process died before it could say so. */
  | 'lands unheard'

/** A transaction as it is inside `fake-indexeddb`. */
interface Inside {
  _state: string
  _abort(name: string): void
  _rollbackLog: unknown[]
  _requests: { operation: () => unknown }[]
}

type Transaction = IDBTransaction & Inside

interface Step {
  kind: 'begin' | 'read' | 'write' | 'change' | 'commit'
  db: IDBDatabase
  tx?: Transaction
}

export interface Armed {
  /** It came to that step, so far. */
  readonly happened: boolean
  end(): void
}

const READS = ['get', 'getKey', 'getAll', 'getAllKeys', 'count', 'openCursor', 'openKeyCursor']
const WRITES = ['add', 'put', 'delete', 'clear']

/** What looks at each step; what it throws the step throws. */
let watch: (step: Step) => void = () => {}
/** Takes the place of what the next request does. */
let failRequest: (() => never) | undefined
/** Events whose segments, which begin with them, cannot be read. */
const lost = new Set<number>()
/** Connections of pages that died. */
const dead = new WeakSet<IDBDatabase>()
let isDying = false

/** Lets `fault` happen at this step from now on, counted from 1, and at the next ones, so many times. */
export function faultAt(at: number, fault: Fault, times = 1): Armed {
  let steps = 0
  let happened = 0
  watch = (step) => {
    steps++
    if (happened === times || steps < at || !canHappen(fault, step)) return
    happened++
    happen(fault, step)
  }
  return {
    get happened() {
      return happened > 0
    },
    end() {
      watch = () => {}
      isDying = false
    },
  }
}

/**
 * The values of segments that begin here cannot be read, as when Chromium has lost the file that it kept one in: a request
 * fails that meets one, and its transaction with it. Returns what ends it.
 */
export function loseValue(first: number): () => void {
  lost.add(first)
  return () => void lost.delete(first)
}

function meetsLost({ name }: IDBObjectStore, method: string, [query]: readonly unknown[]): boolean {
  if (name !== 'segments' || query === undefined || lost.size === 0) return false
  if (method === 'get') return lost.has((query as [string, number])[1])
  const { lower, upper } = query as { lower: [string, number]; upper: [string, number] }
  return method === 'getAll' && [...lost].some((first) => first >= lower[1] && first < upper[1])
}

function canHappen(fault: Fault, { kind, tx }: Step): boolean {
  const isWriting = tx?.mode !== 'readonly'
  if (fault === 'full') return isWriting && (kind === 'write' || kind === 'commit')
  if (fault === 'lands unheard') return isWriting && kind === 'commit'
  if (fault === 'aborts') return kind !== 'begin'
  return true
}

/** A request fails when the browser gets to it, all others of its transaction with it; the rest at once. */
function happen(fault: Fault, { kind, db, tx }: Step): void {
  const name = fault === 'full' ? 'QuotaExceededError' : 'AbortError'
  if (fault === 'dies') {
    dead.add(db)
    isDying = true
  }
  if (kind === 'read' || kind === 'write') {
    failRequest = () => {
      if (fault === 'closes') close(db, tx)
      throw new DOMException('injected', name)
    }
    return
  }
  if (fault === 'lands unheard') tx!._rollbackLog.length = 0
  tx?._abort(name)
  // The fake forgets the connection of an upgrade that fails, though not of one that fails so late.
  if (tx?.mode === 'versionchange') inside(db).connections = inside(db).connections.filter((other) => other !== db)
  if (fault === 'closes' || fault === 'lands unheard') close(db)
  if (kind === 'change' || (kind === 'begin' && fault === 'dies'))
    throw new DOMException('the page is dead', 'InvalidStateError')
}

function close(db: IDBDatabase, except?: Transaction): void {
  for (const tx of inside(db).transactions)
    if (tx.db === db && tx !== except && tx._state !== 'finished') tx._abort('AbortError')
  forceCloseDatabase(db as never)
}

function inside(db: IDBDatabase): { transactions: Transaction[]; connections: IDBDatabase[] } {
  return (db as unknown as { _rawDatabase: ReturnType<typeof inside> })._rawDatabase
}

type Method = (this: never, ...args: never[]) => unknown

/** Puts `around` in front of methods of a prototype. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- each caller knows whose method it is
function wrap<This>(
  type: { prototype: object },
  names: string[],
  around: (self: This, call: () => unknown, args: readonly unknown[], name: string) => unknown,
): void {
  const methods = type.prototype as Record<string, Method>
  for (const name of names) {
    const original = methods[name]!
    methods[name] = function (this: never, ...args: never[]) {
      return around(this, () => original.apply(this, args), args, name)
    }
  }
}

function request(kind: 'read' | 'write', tx: Transaction, call: () => unknown): unknown {
  watch({ kind, db: tx.db, tx })
  const fail = failRequest
  failRequest = undefined
  const made = call()
  if (fail !== undefined) tx._requests.at(-1)!.operation = fail
  return made
}

function versionChange(db: IDBDatabase): Transaction | undefined {
  return inside(db).transactions.find((tx) => tx.mode === 'versionchange' && tx._state !== 'finished')
}

function wrapAll(): void {
  const inStore = (kind: 'read' | 'write') => (store: IDBObjectStore, call: () => unknown) =>
    request(kind, store.transaction as Transaction, call)
  wrap<IDBObjectStore>(IDBObjectStore, READS, (store, call, args, method) => {
    if (meetsLost(store, method, args)) {
      failRequest = () => {
        throw new DOMException('Failed to read the file of a large value.', 'UnknownError')
      }
    }
    return inStore('read')(store, call)
  })
  wrap<IDBObjectStore>(IDBObjectStore, WRITES, inStore('write'))
  wrap<IDBIndex>(IDBIndex, READS, ({ objectStore }, call) => inStore('read')(objectStore, call))
  wrap<IDBDatabase>(IDBDatabase, ['createObjectStore', 'deleteObjectStore'], (db, call) => {
    watch({ kind: 'change', db, tx: versionChange(db)! })
    return call()
  })
  wrap<IDBDatabase>(IDBDatabase, ['transaction'], (db, call, [, mode]) => {
    if (dead.has(db)) throw new DOMException('the page is dead', 'InvalidStateError')
    // That of an upgrade is made by the fake itself.
    if (mode !== 'versionchange') watch({ kind: 'begin', db })
    return call()
  })
  wrap<IDBFactory>(IDBFactory, ['open'], (_factory, call) => {
    if (isDying) throw new DOMException('the page is dead', 'InvalidStateError')
    return call()
  })
  // oxlint-disable-next-line typescript/unbound-method -- called below with its own `this`
  const { dispatchEvent } = IDBTransaction.prototype
  IDBTransaction.prototype.dispatchEvent = function (this: Transaction, event: Event): boolean {
    if (event.type !== 'complete') return dispatchEvent.call(this, event)
    watch({ kind: 'commit', db: this.db, tx: this })
    // It was aborted instead, and will say so itself.
    return this.error === null ? dispatchEvent.call(this, event) : true
  }
}

if (!inBrowser) wrapAll()
