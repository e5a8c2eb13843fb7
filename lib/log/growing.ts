/** A log that only grows, and its folds, each built when first asked for and then carried on event by event. */
import { deriveEventMessage, RequestFold } from './derive.js'
import type { EpochHeader, RequestContext, SessionEvent } from './event.js'
import type { Message } from './message.js'
import { Surface, type SurfaceInput } from './surface.js'
import { Transcript, type TranscriptEntry } from './transcript.js'
import { advanceTurn, NO_TURN, type TurnState } from './turns.js'

export interface SurfaceView {
  /** Seqs of what the model sees, in its order. */
  readonly nodes: readonly number[]
  /** How many replacements there were. */
  readonly replaceGeneration: number
}

/** Events that are folded in a few ms. */
const FOLD_SLICE = 5000

export class GrowingLog {
  /** The first events, in another log's array, as long as nobody asks for all in one. */
  #shared: { events: readonly SessionEvent[]; length: number } | undefined
  /** The events after the shared ones. */
  #own: SessionEvent[]
  #snapshot: readonly SessionEvent[] | undefined

  readonly #surface = new Surface((seq) => this.at(seq)?.data)
  #surfaceSeq = 0
  #surfaceView: SurfaceView | undefined
  #messages: { of: readonly number[]; list: readonly Message[] } | undefined
  #turn = NO_TURN
  #turnSeq = 0
  readonly #request = new RequestFold()
  #requestSeq = 0
  readonly #transcript = new Transcript()
  #transcriptSeq = 0

  /** @param events frozen events with seqs from 0; the array becomes the log's own */
  constructor(events: SessionEvent[]) {
    this.#own = events
  }

  /** A log that begins with the first `length` events of this one, at no cost: arrays of events only ever grow. */
  share(length: number): GrowingLog {
    const log = new GrowingLog([])
    if (length > 0) log.#shared = { events: this.current, length }
    return log
  }

  get length(): number {
    return (this.#shared?.length ?? 0) + this.#own.length
  }

  /** A frozen array, the same until the log grows. */
  get events(): readonly SessionEvent[] {
    return (this.#snapshot ??= Object.freeze([...this.current]))
  }

  /** The events as they stand, without a copy: to be read at once, never changed. */
  get current(): readonly SessionEvent[] {
    if (this.#shared !== undefined) {
      const { events, length } = this.#shared
      // A fork that did not grow reads in its parent's array, if that did not grow either.
      if (this.#own.length === 0 && events.length === length) return events
      this.#own = events.slice(0, length).concat(this.#own)
      this.#shared = undefined
    }
    return this.#own
  }

  at(seq: number): SessionEvent | undefined {
    if (this.#shared === undefined) return this.#own[seq]
    const { events, length } = this.#shared
    return seq < length ? events[seq] : this.#own[seq - length]
  }

  slice(from: number, to?: number): SessionEvent[] {
    const inherited = this.#shared?.length ?? 0
    const isOwn = from >= inherited && (to === undefined || to >= inherited)
    if (!isOwn) return this.current.slice(from, to)
    return this.#own.slice(from - inherited, to === undefined ? undefined : to - inherited)
  }

  /** Why this event may not come next as far as the surface goes, or undefined. */
  problem(event: SurfaceInput): string | undefined {
    return this.#caughtUpSurface().problem(event)
  }

  push(event: SessionEvent): void {
    this.#own.push(event)
    this.#snapshot = undefined
  }

  /**
   * Builds what a page reads first a slice at a time, so that the first look at a long log does not hold the page up.
   * @param pause called after each slice
   */
  async fold(pause: () => Promise<void>): Promise<void> {
    for (let to = FOLD_SLICE; to <= this.length; to += FOLD_SLICE) {
      this.#caughtUpSurface(to)
      this.#caughtUpTranscript(to)
      await pause()
    }
  }

  get surface(): SurfaceView {
    const { nodes, replaceGeneration } = this.#caughtUpSurface()
    if (this.#surfaceView?.nodes !== nodes) this.#surfaceView = Object.freeze({ nodes, replaceGeneration })
    return this.#surfaceView
  }

  /** What the model is told; frozen, the same array until it changes. */
  get messages(): readonly Message[] {
    const { nodes } = this.#caughtUpSurface()
    if (this.#messages?.of !== nodes) {
      const list = nodes.map((seq) => deriveEventMessage(this.at(seq)!)).filter((message) => message !== null)
      this.#messages = { of: nodes, list: Object.freeze(list) }
    }
    return this.#messages.list
  }

  /** What a person should see; frozen, the same array until it changes. */
  get transcript(): readonly TranscriptEntry[] {
    return this.#caughtUpTranscript().entries
  }

  get turn(): TurnState {
    for (; this.#turnSeq < this.length; this.#turnSeq++) {
      this.#turn = advanceTurn(this.#turn, this.at(this.#turnSeq)!)
    }
    return this.#turn
  }

  get requestHeader(): EpochHeader | undefined {
    return this.#caughtUpRequest().header
  }

  get requestContext(): RequestContext | undefined {
    return this.#caughtUpRequest().context
  }

  #caughtUpSurface(to = this.length): Surface {
    for (; this.#surfaceSeq < to; this.#surfaceSeq++) {
      this.#surface.apply(this.at(this.#surfaceSeq)!)
    }
    return this.#surface
  }

  #caughtUpTranscript(to = this.length): Transcript {
    for (; this.#transcriptSeq < to; this.#transcriptSeq++) {
      this.#transcript.apply(this.at(this.#transcriptSeq)!)
    }
    return this.#transcript
  }

  #caughtUpRequest(): RequestFold {
    for (; this.#requestSeq < this.length; this.#requestSeq++) {
      this.#request.apply(this.at(this.#requestSeq)!)
    }
    return this.#request
  }
}
