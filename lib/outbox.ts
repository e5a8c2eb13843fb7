/** What a live session has not stored yet, on its way to the worker: in order, in batches, one at a time. */
import type { Connection } from './connection.js'
import type { SessionEvent } from './log/event.js'
import type { GrowingLog } from './log/growing.js'
import { segmentsFrom, type Segment } from './log/jsonl.js'
import { SessionStoreError } from './wire/errors.js'
import { WRITE_BUDGET } from './wire/protocol.js'

/** How long a batch that holds only streamed chunks gathers more, ms. Without it every token is a transaction. */
const CHUNK_WAIT = 100
/** After a failure one more try is made after this, doubled by each failure up to `RETRY_LIMIT`, ms; a flush waits for none. */
const RETRY_WAIT = 200
const RETRY_LIMIT = 5000

export interface OutboxListener {
  /** `durable` has changed. */
  stored(durable: number): void
  /** Another writer took the session over, or it was deleted: nothing more can be sent. */
  lost(error: SessionStoreError): void
}

export class Outbox {
  /** Events known to be stored: what the worker last answered, and nothing else. */
  durable = 0
  /** Events known to be safe against a power cut. */
  safe = 0

  /** Nothing is sent before the session is stored for the first time … */
  #isStored = false
  /** … nor while it is held. */
  #isHeld = false
  /** Seq after the last event that goes all the same, since it was there before. */
  #heldAt = 0
  /** Resolves when neither is in the way any more. */
  #begun!: Promise<void>
  #begin!: () => void
  #stopped: Error | undefined
  #sending: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** When the oldest waiting chunk was appended: timers of hidden pages are late, so appends look at the clock too. */
  #since: number | undefined
  /** Seq after the last event that does not wait, or that somebody waits for. */
  #urgent = 0
  /** Seq after the last event that somebody waits to be safe: the batch that reaches it is stored so at once. */
  #wanted = 0
  #failure: unknown
  #failures = 0
  #failedAt = 0

  constructor(
    private readonly log: GrowingLog,
    private readonly connection: Connection,
    private readonly id: string,
    readonly epoch: string,
    private readonly listener: OutboxListener,
  ) {
    this.#wait()
  }

  /** Nothing that is appended from now on is sent until `resume`; what is there is, if sending has begun. */
  hold(): void {
    // Whoever waits already goes on waiting for the same.
    if (this.#maySend) this.#wait()
    this.#isHeld = true
    this.#heldAt = this.log.length
  }

  resume(): void {
    this.#isHeld = false
    this.#go()
  }

  /** The session is stored up to here; from now on events are sent. */
  start(durable: number): void {
    this.#isStored = true
    this.durable = durable
    this.#go()
  }

  /** Nothing is sent any more; what waits for it rejects with `reason`. */
  stop(reason: Error): void {
    this.#stopped ??= reason
    this.connection.status.stored(this.id)
    this.#begin()
    clearTimeout(this.#timer)
  }

  appended(event: SessionEvent): void {
    if (event.type !== 'assistant/chunk') this.#urgent = event.seq + 1
    if (!this.#maySend || this.#sending !== undefined) return
    if (this.#failures > 0) {
      // A try is armed already; an append makes one too, though not one per token.
      if (Date.now() - this.#failedAt >= RETRY_WAIT) this.send()
      return
    }
    this.#since ??= event.time
    if (this.#mustGo()) this.send()
    else this.#arm(CHUNK_WAIT)
  }

  /** Sends what waits now. */
  send(): void {
    this.#urgent = this.log.length
    void this.#pump()
  }

  /** Resolves when the first `upTo` events are stored. Rejects with what keeps them from it. */
  async drain(upTo = this.log.length): Promise<void> {
    this.#urgent = Math.max(this.#urgent, upTo)
    for (;;) {
      await this.#begun
      if (this.durable >= upTo) return
      if (this.#stopped !== undefined) throw this.#stopped
      await this.#pump()
      if (this.durable < upTo && this.#failure !== undefined) throw this.#failure
    }
  }

  /** Resolves when the first `upTo` events are stored and safe against a power cut. */
  async secure(upTo = this.log.length): Promise<void> {
    this.#wanted = Math.max(this.#wanted, upTo)
    await this.drain(upTo)
    if (this.safe >= upTo) return
    if (this.#stopped !== undefined) throw this.#stopped
    const stored = await this.connection.call('flush', this.id, this.epoch).catch((error: unknown) => {
      throw this.#note(error)
    })
    this.safe = Math.max(this.safe, Math.min(stored, this.durable))
  }

  /** Asks whether this writer still has the session; one that has been overtaken is told as lost. */
  async check(): Promise<void> {
    if (!this.#maySend || this.#stopped !== undefined) return
    await this.connection.call('flush', this.id, this.epoch).catch((error: unknown) => void this.#note(error))
  }

  get #maySend(): boolean {
    return this.#isStored && !this.#isHeld
  }

  #wait(): void {
    this.#begun = new Promise((begin) => (this.#begin = begin))
  }

  #go(): void {
    if (!this.#maySend) return
    this.#begin()
    if (this.durable < this.log.length) this.send()
  }

  #pump(): Promise<void> {
    if (!this.#maySend || this.#stopped !== undefined) return Promise.resolve()
    return (this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
      if (this.durable === this.log.length || this.#stopped !== undefined) return
      this.#arm(this.#failures === 0 ? CHUNK_WAIT : Math.min(RETRY_WAIT * 2 ** (this.#failures - 1), RETRY_LIMIT))
    }))
  }

  /** Never rejects: a failure is kept for whoever waits, and the events stay where they are. */
  async #sendAll(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await Promise.resolve() // what is appended in the same breath goes with the first event
    this.#failure = undefined
    // Held meanwhile: what was there goes, in as many batches as it takes, and nothing after them.
    while (!this.#isHeld || this.durable < this.#heldAt) {
      if (this.durable === this.log.length || this.#stopped !== undefined || !this.#mustGo()) break
      const segments = this.#batch()
      try {
        const strict = this.#isStrict(segments)
        const request = { id: this.id, epoch: this.epoch, first: this.durable, segments, strict }
        const stored = await this.connection.call('append', request)
        if (this.#stopped !== undefined) return
        this.#failures = 0
        this.#since = Date.now()
        if (strict && stored === endOf(segments)) {
          this.safe = stored
          this.connection.secured()
        }
        this.durable = stored
        this.connection.status.stored(this.id)
        this.listener.stored(stored)
      } catch (error) {
        this.#failure = this.#note(error)
        this.#failures++
        this.#failedAt = Date.now()
        return
      }
    }
    if (this.durable === this.log.length) this.#since = undefined
  }

  /** The worker commits a batch with a `turn/end` strictly in any case. */
  #isStrict(segments: readonly Segment[]): boolean {
    const isWanted = this.durable < this.#wanted && endOf(segments) >= this.#wanted
    return isWanted || segments.some(({ ends }) => ends.length > 0)
  }

  #batch(): Segment[] {
    const segments: Segment[] = []
    let bytes = 0
    for (const segment of segmentsFrom(this.log.current, this.durable)) {
      segments.push(segment)
      bytes += segment.bytes.byteLength
      if (bytes >= WRITE_BUDGET) break
    }
    return segments
  }

  /** Whether the next batch goes at once: it holds more than chunks, has waited, or nobody can wait. */
  #mustGo(): boolean {
    if (this.#urgent > this.durable || isHidden()) return true
    return this.#since !== undefined && Date.now() - this.#since >= CHUNK_WAIT
  }

  #arm(delay: number): void {
    this.#timer ??= setTimeout(() => this.send(), delay)
  }

  #note(error: unknown): unknown {
    const code = error instanceof SessionStoreError ? error.code : undefined
    if (code === 'SESSION_CONFLICT' || code === 'SESSION_NOT_FOUND') {
      this.stop(error as SessionStoreError)
      this.listener.lost(error as SessionStoreError)
    } else if (this.#stopped === undefined) {
      this.connection.status.notStored(this.id, error)
    }
    return error
  }
}

/** Where a batch ends. An answer with another length means that the worker wrote nothing of it. */
function endOf(segments: readonly Segment[]): number {
  const { first, count } = segments.at(-1)!
  return first + count
}

function isHidden(): boolean {
  return typeof document !== 'undefined' && document.visibilityState === 'hidden'
}
