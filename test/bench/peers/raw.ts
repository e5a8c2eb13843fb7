/** The limit: IndexedDB and nothing above it. It checks nothing, keeps nothing in memory and knows no rules. */
import { wrap } from 'comlink'
import type { SessionEvent } from 'idb-sessions'
import { decodeStorageRecord, foldTranscript } from 'idb-sessions/log'
import { decodeText, encodeSegments, type Segment } from '../../../lib/log/jsonl.js'
import { listedOf, type Contestant, type Keeper } from '../contestant.js'
import { countMessages } from './deriving.js'
import { RawStore } from './raw-store.js'

export const raw: Contestant = {
  name: 'raw IndexedDB',
  async open(name) {
    const store = new RawStore()
    await store.open(name)
    return new RawKeeper(store, () => {})
  },
}

/** With the way to a worker and back, which whoever keeps storage out of the page pays. */
export const rawInWorker: Contestant = {
  name: 'raw IndexedDB in a worker',
  async open(name) {
    const worker = new Worker(new URL('raw-worker.ts', import.meta.url), { type: 'module' })
    const store = wrap<RawStore>(worker)
    await store.open(name)
    return new RawKeeper(store, () => worker.terminate())
  },
}

/** The same here and in a worker. */
type Asked = {
  [K in keyof RawStore]: (
    ...args: Parameters<RawStore[K]>
  ) => ReturnType<RawStore[K]> | Promise<Awaited<ReturnType<RawStore[K]>>>
}

class RawKeeper implements Keeper {
  readonly #segments = new WeakMap<readonly SessionEvent[], Segment[]>()

  constructor(
    private readonly store: Asked,
    private readonly end: () => void,
  ) {}

  prepare(events: readonly SessionEvent[]): void {
    this.#segments.set(events, encodeSegments(events))
  }

  async fill(id: string, events: readonly SessionEvent[]): Promise<void> {
    await this.store.fill(listedOf(id, events), this.#segmentsOf(events))
  }

  async append(id: string, events: readonly SessionEvent[]): Promise<void> {
    await this.store.append(id, this.#segmentsOf(events))
  }

  async open(id: string): Promise<number> {
    return countMessages(await this.#events(id))
  }

  async show(id: string): Promise<number> {
    const events = await this.#events(id)
    countMessages(events)
    return foldTranscript(events).length
  }

  async fork(source: string, child: string, boundary?: number): Promise<void> {
    await this.store.fork(source, child, boundary)
  }

  async list(): Promise<number> {
    return (await this.store.list()).length
  }

  async delete(id: string): Promise<void> {
    await this.store.delete(id)
  }

  async close(): Promise<void> {
    await this.store.close()
    this.end()
  }

  async #events(id: string): Promise<SessionEvent[]> {
    const lines = (await this.store.segments(id)).flatMap(({ bytes }) => {
      return JSON.parse(`[${decodeText(bytes).trimEnd().replaceAll('\n', ',')}]`) as unknown[]
    })
    return lines.flatMap(decodeStorageRecord)
  }

  #segmentsOf(events: readonly SessionEvent[]): readonly Segment[] {
    return this.#segments.get(events) ?? encodeSegments(events)
  }
}
