/** This library as `oracle.mjs` is DSH: the same operations, the same form of results. */
import { SessionForkError, SessionStoreError, type Session, type SessionEvent } from 'idb-sessions'
import {
  decodeStorageRecord,
  deriveEventMessage,
  foldSurface,
  interruptedTurnClosers,
  isJsonValue,
  packChunkRuns,
  snapshotJsonValue,
} from 'idb-sessions/log'
import { vi } from 'vitest'
import type { Operation, Result } from './connect.mjs'
import { openPage, type Page } from '../support/page.js'
import type { Present } from './plans.js'
import { masked, revive } from './values.mjs'

/** Nobody checked the operations, and many are wrong on purpose. */
type Fields = Operation & Record<string, any> // oxlint-disable-line typescript/no-explicit-any
type Perform = (operation: Fields) => unknown

/** An operation names a session that never was: nobody was asked anything. */
class NoSession extends Error {
  override name = 'NoSession'
}

export class Library {
  #page: Page
  /** The last object of each session that is no longer live. */
  readonly #gone = new Map<string, Session>()
  readonly #trace: unknown[] = []
  #foreign: Promise<Page> | undefined

  static async open(): Promise<Library> {
    return new Library(await openPage({ rules: 'harness' }))
  }

  private constructor(page: Page) {
    this.#page = page
    page.store.on('session/created', ({ id }) => this.#trace.push(['session/created', id]))
    page.store.on('session/event', ({ id }, { type }) => this.#trace.push(['session/event', id, type]))
    page.store.on('session/disposed', ({ id }) => this.#trace.push(['session/disposed', id]))
  }

  get name(): string {
    return this.#page.name
  }

  /** The sessions that operations may be about. */
  get present(): Present {
    return { live: this.#page.store.list(), gone: [...this.#gone.keys()] }
  }

  async perform(operation: Operation): Promise<Result> {
    const perform = this.#operations[operation.do]
    if (perform === undefined) throw new Error(`no operation ${operation.do}`)
    try {
      return { value: masked((await perform(operation)) ?? null) }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      const isOurs = error instanceof SessionForkError || error instanceof SessionStoreError
      return { error: { name: error.name, ...(isOurs && { code: error.code }) } }
    }
  }

  async close(): Promise<void> {
    this.#page.connection.end(new Error('done'))
    const foreign = await this.#foreign
    foreign?.connection.end(new Error('done'))
  }

  readonly #operations: Record<string, Perform> = {
    clock: ({ now }) => void vi.setSystemTime(now as number),
    create: async ({ id, seed, meta }) => {
      const options = { ...(seed && { seed: revive(seed) }), ...(meta && { meta: revive(meta) }) }
      return viewOf(await this.#page.store.create(id, options as object))
    },
    append: ({ id, type, data, intent }) => {
      const session = this.#session(id) as unknown as { append(...args: unknown[]): SessionEvent }
      return session.append(revive(type), revive(data), ...(intent === undefined ? [] : [revive(intent)]))
    },
    fork: async ({ source, by, boundary, child }) => {
      const from = await {
        id: () => source as string,
        object: () => this.#session(source),
        former: () => this.#former(source),
        stale: () => this.#stranger(source),
      }[(by ?? 'id') as 'id' | 'object' | 'former' | 'stale']()
      return viewOf(await this.#page.store.fork(from, revive(boundary) as number | undefined, child))
    },
    dispose: async ({ id }) => {
      this.#leaving(id)
      await this.#page.store.delete(id)
    },
    release: ({ id }) => this.#page.store.release(this.#leaving(id)),
    reload: async ({ id }) => {
      await this.#page.store.release(this.#leaving(id))
      return viewOf(await this.#page.store.load(id))
    },
    read: ({ id }) => {
      const session = this.#session(id)
      return {
        events: session.events,
        surface: session.surface,
        messages: session.deriveMessages(),
        requestHeader: session.requestHeader() ?? null,
        requestContext: session.requestContext() ?? null,
      }
    },
    state: ({ ids }) => ({
      list: this.#operations['list']!({ do: 'list' }),
      trace: this.#operations['trace']!({ do: 'trace' }),
      sessions: (ids as string[]).map((id) => {
        const session = this.#page.store.get(id) ?? this.#gone.get(id)
        if (session === undefined) return undefined
        const { header, firstLiveSeq, seq } = session
        return { ...(this.#operations['read']!({ do: 'read', id }) as object), header, firstLiveSeq, seq }
      }),
    }),
    list: () => this.#page.store.list().map(({ id }) => id),
    trace: () => this.#trace.splice(0),
    flush: ({ id }) => this.#page.store.flush(this.#session(id)),

    isJson: ({ value }) => isJsonValue(revive(value)),
    snapshot: ({ value }) => {
      const copy = snapshotJsonValue(revive(value))
      return copy === undefined ? 'refused' : { copy }
    },
    closers: ({ events }) => interruptedTurnClosers(events),
    foldSurface: ({ events }) => foldSurface(events),
    derive: ({ event }) => deriveEventMessage(event),
    pack: ({ events }) => packChunkRuns(events),
    decode: ({ record }) => decodeStorageRecord(revive(record)),

    readFile: async ({ text, base64 }) => {
      const source = new Blob([text ?? Buffer.from(base64, 'base64')])
      const { session, dropped } = await this.#page.store.importLog(source)
      const { header, events } = await this.#page.store.inspect(session.header.id)
      return { header, events, ...(dropped && { dropped: dropped.line }) }
    },
  }

  #session(id: string): Session {
    return this.#page.store.get(id) ?? this.#former(id)
  }

  #former(id: string): Session {
    const session = this.#gone.get(id)
    if (session === undefined) throw new NoSession(id)
    return session
  }

  #leaving(id: string): Session {
    const session = this.#page.store.get(id)
    if (session === undefined) throw new NoSession(id)
    this.#gone.set(id, session)
    return session
  }

  /** A session of this id that is another store's. */
  async #stranger(id: string): Promise<Session> {
    this.#foreign ??= openPage({ rules: 'harness' })
    const { store } = await this.#foreign
    return store.get(id) ?? store.create(id)
  }
}

function viewOf({ header, firstLiveSeq, events }: Session): object {
  return { header, firstLiveSeq, events }
}
