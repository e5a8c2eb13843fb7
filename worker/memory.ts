/**
 * A database in memory, for pages without IndexedDB that asked for it: as much of `idb` as this worker uses, on which
 * everything else runs unchanged. It lives and dies with its worker.
 */
import type { IDBPDatabase } from 'idb'
import type { Schema, StoreRecord } from './records.js'

type Key = string | number | readonly Key[]
type Range = Pick<IDBKeyRange, 'lower' | 'upper' | 'lowerOpen' | 'upperOpen'>
interface Entry {
  key: Key
  value: unknown
}

/** `multiEntry`: each item of the property is a key. */
const STORES: Record<string, { keyPath: string | string[]; indexes: Record<string, { multiEntry?: true }> }> = {
  sessions: { keyPath: 'id', indexes: { log: {}, lineage: {} } },
  lineages: { keyPath: 'key', indexes: { logs: { multiEntry: true }, up: {} } },
  segments: { keyPath: ['log', 'first'], indexes: {} },
  staging: { keyPath: 'log', indexes: {} },
  store: { keyPath: 'key', indexes: {} },
}

export function memoryDatabase(name: string, store: StoreRecord): IDBPDatabase<Schema> {
  const db = new MemoryDatabase(name)
  db.stores.get('store')!.set(JSON.stringify(store.key), { key: store.key, value: store })
  return db as unknown as IDBPDatabase<Schema>
}

class MemoryDatabase {
  readonly stores = new Map(Object.keys(STORES).map((name) => [name, new Map<string, Entry>()]))
  #last: Promise<unknown> = Promise.resolve()

  constructor(readonly name: string) {}

  /** One after another, whatever their scope. */
  transaction(): MemoryTransaction {
    const transaction = new MemoryTransaction(this, this.#last)
    this.#last = transaction.done.catch(() => {})
    return transaction
  }

  close(): void {}
}

class MemoryTransaction {
  readonly error = null
  readonly done: Promise<void>
  #end!: { complete: () => void; abort: (error: Error) => void }
  /** What takes the changes back, the last one first. */
  readonly #undo: (() => void)[] = []
  #isOver = false

  constructor(
    private readonly db: MemoryDatabase,
    private readonly turn: Promise<unknown>,
  ) {
    this.done = new Promise((complete, abort) => (this.#end = { complete, abort }))
  }

  objectStore(name: string): MemoryStore {
    return new MemoryStore(this, this.db.stores.get(name)!, STORES[name]!)
  }

  /** Requests are done in the order in which they are made. */
  request<T>(task: () => T): Promise<T> {
    return this.turn.then(() => {
      if (this.#isOver) throw new DOMException('the transaction is over', 'TransactionInactiveError')
      return task()
    })
  }

  change(entries: Map<string, Entry>, name: string, entry: Entry | undefined): void {
    const before = entries.get(name)
    this.#undo.push(() => void (before === undefined ? entries.delete(name) : entries.set(name, before)))
    if (entry === undefined) entries.delete(name)
    else entries.set(name, entry)
  }

  commit(): void {
    void this.request(() => {
      this.#isOver = true
      this.#end.complete()
    }).catch(() => {})
  }

  abort(): void {
    if (this.#isOver) throw new DOMException('the transaction is over', 'InvalidStateError')
    this.#isOver = true
    void this.turn.then(() => {
      for (const undo of this.#undo.reverse()) undo()
      this.#end.abort(new DOMException('the transaction was aborted', 'AbortError'))
    })
  }
}

class MemoryStore {
  constructor(
    private readonly tx: MemoryTransaction,
    private readonly entries: Map<string, Entry>,
    private readonly shape: (typeof STORES)[string],
  ) {}

  get(key: Key): Promise<unknown> {
    return this.tx.request(() => structuredClone(this.entries.get(JSON.stringify(key))?.value))
  }

  getKey(key: Key): Promise<Key | undefined> {
    return this.tx.request(() => this.entries.get(JSON.stringify(key))?.key)
  }

  getAll(query?: Range, count = Infinity): Promise<unknown[]> {
    return this.tx.request(() => structuredClone(this.#in(query).slice(0, count)).map(({ value }) => value))
  }

  put(value: object): Promise<void> {
    return this.#write(structuredClone(value))
  }

  add(value: object): Promise<void> {
    return this.#write(structuredClone(value), true)
  }

  delete(query: Key | Range): Promise<void> {
    return this.tx.request(() => {
      const keys = isRange(query) ? this.#in(query).map(({ key }) => key) : [query]
      for (const key of keys) this.tx.change(this.entries, JSON.stringify(key), undefined)
    })
  }

  openKeyCursor(query: Range, _direction: 'prev'): Promise<MemoryCursor | null> {
    return this.tx.request(() => cursorAt(this.#in(query).reverse(), 0))
  }

  index(name: string): MemoryIndex {
    const isMulti = this.shape.indexes[name]!.multiEntry === true
    const matching = (key: Key): unknown[] => {
      const values = this.#in().map(({ value }) => value as Record<string, unknown>)
      return values.filter((value) => (isMulti ? (value[name] as unknown[]).includes(key) : value[name] === key))
    }
    return {
      get: (key) => this.tx.request(() => structuredClone(matching(key)[0])),
      getAll: (key) => this.tx.request(() => structuredClone(matching(key))),
      count: (key) => this.tx.request(() => matching(key).length),
    }
  }

  #write(value: object, isNew = false): Promise<void> {
    return this.tx.request(() => {
      const { keyPath } = this.shape
      const fields = value as Record<string, Key>
      const key = typeof keyPath === 'string' ? fields[keyPath]! : keyPath.map((field) => fields[field]!)
      const name = JSON.stringify(key)
      if (isNew && this.entries.has(name)) {
        this.tx.abort()
        throw new DOMException('the key is there already', 'ConstraintError')
      }
      this.tx.change(this.entries, name, { key, value })
    })
  }

  #in(range?: Range): Entry[] {
    const entries = [...this.entries.values()].filter(({ key }) => range === undefined || isIn(key, range))
    return entries.sort((a, b) => compare(a.key, b.key))
  }
}

interface MemoryIndex {
  get(key: Key): Promise<unknown>
  getAll(key: Key): Promise<unknown[]>
  count(key: Key): Promise<number>
}

interface MemoryCursor {
  key: Key
  advance(count: number): Promise<MemoryCursor | null>
}

function cursorAt(entries: readonly Entry[], at: number): MemoryCursor | null {
  const entry = entries[at]
  if (entry === undefined) return null
  return { key: entry.key, advance: async (count) => cursorAt(entries, at + count) }
}

function isRange(query: Key | Range): query is Range {
  return typeof query === 'object' && 'lower' in query
}

function isIn(key: Key, { lower, upper, lowerOpen, upperOpen }: Range): boolean {
  const [low, high] = [compare(key, lower as Key), compare(key, upper as Key)]
  return (lowerOpen ? low > 0 : low >= 0) && (upperOpen ? high < 0 : high <= 0)
}

/** The order of IndexedDB, for the kinds of keys that are in use: numbers before strings before arrays. */
function compare(a: Key, b: Key): number {
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      const order = compare(a[i] as Key, b[i] as Key)
      if (order !== 0) return order
    }
    return a.length - b.length
  }
  const [kindA, kindB] = [kindOf(a), kindOf(b)]
  if (kindA !== kindB) return kindA - kindB
  return a < b ? -1 : a > b ? 1 : 0
}

function kindOf(key: Key): number {
  return typeof key === 'number' ? 0 : typeof key === 'string' ? 1 : 2
}
