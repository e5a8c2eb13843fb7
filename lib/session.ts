/** A session as the application holds it: reading, subscribing, appending. */
import type {
  EpochHeader,
  RequestContext,
  SessionEvent,
  SessionEventMap,
  SessionEventType,
  SessionId,
  SurfaceIntentOf,
} from './log/event.js'
import type { GrowingLog, SurfaceView } from './log/growing.js'
import type { SessionHeader } from './log/header.js'
import type { Message } from './log/message.js'
import type { TranscriptEntry } from './log/transcript.js'
import type { TurnState } from './log/turns.js'
import type { SessionCore } from './core.js'
import type { Writer } from './writers.js'

export type SessionState = 'live' | 'following' | 'conflict' | 'released' | 'deleted'

/** What is behind a view. */
export interface ViewCore {
  readonly header: SessionHeader
  readonly log: GrowingLog
  readonly state: SessionState
  readonly writer: Writer
  readonly durable: number
  subscribe(listener: () => void): () => void
  close(): void
}

/** A session as it can be read. What its getters give is frozen, and the same object until it changes. */
export class SessionView {
  readonly #core: ViewCore

  /** Made by the store. */
  constructor(core: ViewCore) {
    this.#core = core
  }

  get id(): SessionId {
    return this.#core.header.id
  }

  /** Deeply frozen. */
  get header(): SessionHeader {
    return this.#core.header
  }

  /** A change notifies subscribers. */
  get state(): SessionState {
    return this.#core.state
  }

  /** Who writes it now: this page, another tab, or nobody. A change notifies those who subscribe to what they follow. */
  get writer(): Writer {
    return this.#core.writer
  }

  /** The whole log: a frozen array, the same until the log grows. A new one costs O(n): per token, use `at` or `slice`. */
  get events(): readonly SessionEvent[] {
    return this.#core.log.events
  }

  at(seq: number): SessionEvent | undefined {
    return this.#core.log.at(seq)
  }

  /** Events `from` to `to - 1`; positions as in `Array.slice`. */
  slice(from: number, to?: number): readonly SessionEvent[] {
    return this.#core.log.slice(from, to)
  }

  /** The next event's seq, which is the log's length. */
  get seq(): number {
    return this.#core.log.length
  }

  /** Events known to be stored; the `seq - durable` after them are only in this page. */
  get durable(): number {
    return this.#core.durable
  }

  /** What the model sees: the seqs of its messages, with replacements. Source: `spec` 2.5. */
  get surface(): SurfaceView {
    return this.#core.log.surface
  }

  /** `deriveMessages()`, the same array until it changes. */
  get messages(): readonly Message[] {
    return this.#core.log.messages
  }

  /** The messages that the surface puts before the model, as a new array of the logged objects. Source: `spec` 2.4. */
  deriveMessages(): Message[] {
    return [...this.#core.log.messages]
  }

  /**
   * What a person should see, also while it streams: the same array until something changes, and entries that did not
   * change are the same objects. Built when first asked for; from then on taking a chunk in costs the same at any length,
   * and asking anew copies the array of entries.
   */
  get transcript(): readonly TranscriptEntry[] {
    return this.#core.log.transcript
  }

  /** The open turn and step, if any, and the number of the next turn. */
  get turn(): TurnState {
    return this.#core.log.turn
  }

  /** The last `request/header` in canonical form, or undefined. Source: `spec` 2.4. */
  requestHeader(): EpochHeader | undefined {
    return this.#core.log.requestHeader
  }

  /** The last `request/context`, whole, or undefined. Source: `spec` 2.4. */
  requestContext(): RequestContext | undefined {
    return this.#core.log.requestContext
  }

  /**
   * Calls `listener` after the log, `durable` or `state` changed, at most once per frame. Returns what ends it. Bound,
   * so it can be handed to React's `useSyncExternalStore` as it is.
   */
  readonly subscribe = (listener: () => void): (() => void) => this.#core.subscribe(listener)

  /** Stops following; of a live session: `release`, whose failure is reported on the console. */
  close(): void {
    this.#core.close()
  }
}

/** A live session: the only writer of its log. */
export class Session extends SessionView {
  readonly #core: SessionCore

  constructor(core: SessionCore) {
    super(core)
    this.#core = core
  }

  /** Where this lifetime's own events begin: the length of what was created with, forked or loaded. */
  get firstLiveSeq(): number {
    return this.#core.firstLiveSeq
  }

  /**
   * Adds an event: copies and checks `data`, freezes the copy, and returns it; storing follows by itself (`durable`,
   * `flush`). Throws `SessionStoreError` and leaves the log as it was:
   * `INVALID_EVENT` (unknown type, no lossless JSON, wrong shape or surface, over 500 levels or 32 MiB, or called from
   * inside this session's own `session/event` or a getter of `data`), `SESSION_NOT_LIVE` (also once the store is closed), `SESSION_CONFLICT`.
   * @param intent required for `user/message`, `assistant/message` and `tool/result`, refused for all others
   * Source: `spec` 2.3.
   */
  append<T extends SessionEventType>(
    type: T,
    data: SessionEventMap[T],
    ...intent: SurfaceIntentOf<T>
  ): SessionEvent<T> {
    return this.#core.append({ type, data, intent: intent[0] }) as SessionEvent<T>
  }

  /**
   * After a conflict: a new live session from what this one has in common with what is stored, plus all of its own events, so
   * that nothing of it is lost. A turn that they leave open stays open. The source is not changed; when it is gone, the new
   * session holds the whole log. Works for released and deleted sessions too.
   *
   * Rejects with `SESSION_ALREADY_EXISTS`, `INVALID_HEADER` (the id), a `TypeError` while this session is live (fork it),
   * with what a listener of `session/created` throws, and with storage errors.
   * @param id default: `session-<uuid>`
   */
  async saveAsFork(id?: SessionId): Promise<Session> {
    return this.#core.saveAsFork(id)
  }
}
