/** A turn while it is written. */
import type { TurnEndReason } from '../log/event.js'
import type { ContentBlock } from '../log/message.js'
import type { Session } from '../session.js'
import { Step, type CommitMode, type MessageOptions, type ResultOptions, type StepModel } from './step.js'

export interface CommitOptions extends MessageOptions {
  interrupted?: true | undefined
}

/**
 * Writes one turn, event by event, so that it holds to the relations of `spec` 4 whatever happens: a `tool/call` follows
 * the message that made it, every call has a result before anything else is said, and the turn is closed. `runTurn` makes
 * it and closes it. What is called out of order throws an `Error` and writes nothing; so does everything but `end` once
 * the turn is closed, and what begins something new once the turn's signal is aborted (then it throws the signal's
 * reason). Arguments of the wrong type throw a `TypeError`. Every method also throws what `Session.append` throws:
 * `INVALID_EVENT`, `SESSION_NOT_LIVE`, `SESSION_CONFLICT`.
 */
export class TurnWriter {
  /** Its number. */
  readonly turn: number
  readonly #session: Session
  readonly #signal: AbortSignal | undefined
  #steps = 0
  #step: Step | undefined
  #isClosed = false

  /** Made by `runTurn`, which has written the `turn/start`. */
  constructor(session: Session, turn: number, signal?: AbortSignal) {
    this.#session = session
    this.turn = turn
    this.#signal = signal
  }

  /** A request to the model begins. Ends the step before it, if that is open. */
  beginStep(model: StepModel): void {
    this.#requireGoing()
    if (!isName(model?.provider) || !isName(model.model)) {
      throw new TypeError('beginStep takes { provider, model }, two non-empty strings')
    }
    if (this.#step !== undefined) this.endStep()
    const place = { turn: this.turn, step: this.#steps + 1 }
    this.#session.append('step/start', place)
    this.#steps++
    this.#step = new Step(this.#session, place, { provider: model.provider, model: model.model })
  }

  /**
   * A piece of the answer. Pieces of one kind in a row make one block. Throws while a committed call has no result.
   * @param key tells blocks of a kind apart where they stream side by side
   */
  delta(kind: 'text' | 'reasoning', text: string, key?: string): void {
    if (kind !== 'text' && kind !== 'reasoning') throw new TypeError("a delta is of kind 'text' or 'reasoning'")
    if (typeof text !== 'string') throw new TypeError(`the text of a delta is a string, not ${typeof text}`)
    this.#going().delta(kind, text, key)
  }

  /**
   * The model calls a tool. Called again with the same id, it adds to the arguments. Throws while a committed call has no
   * result.
   * @param callId non-empty; the model's own
   * @param name of the tool; only the first one counts, later pieces need none
   * @param argumentsDelta raw JSON text, or the next piece of it; default: none
   */
  call(callId: string, name?: string, argumentsDelta = ''): void {
    if (!isName(callId)) throw new TypeError('the id of a call is a non-empty string')
    if (name !== undefined && typeof name !== 'string') throw new TypeError("a tool's name is a string")
    if (typeof argumentsDelta !== 'string')
      throw new TypeError('the arguments of a call are JSON text; JSON.stringify them')
    this.#going().call(callId, name, argumentsDelta)
  }

  /**
   * The answer is complete: what streamed becomes the step's `assistant/message`. `endStep` and `end` do it too, when it
   * was not done. Nothing new since the last one: does nothing.
   * @param options.usage token counts; what is undefined in it is left out
   * @param options.interrupted it was cut off: only visible text, and calls that were started, are kept
   * @param options.replayState what the provider wants back with the next request, such as signatures of its reasoning
   */
  commit(options: CommitOptions = {}): void {
    const { interrupted, ...rest } = options
    const mode = interrupted === true || this.#signal?.aborted === true ? 'interrupted' : 'whole'
    this.#open().commit(mode, rest)
  }

  /** The tool begins. May come while the answer still streams; its `tool/call` then waits for the message. */
  start(callId: string): void {
    this.#requireGoing()
    this.#open().start(callId)
  }

  /**
   * What a tool answered; starts the call, if that was not done. Results may come in any order.
   * @param output text, or blocks; for other values: `JSON.stringify`
   */
  result(callId: string, output: string | ContentBlock[], options: ResultOptions = {}): void {
    if (typeof output !== 'string' && !Array.isArray(output)) {
      throw new TypeError('the output of a tool is text or an array of blocks; JSON.stringify other values')
    }
    this.#open().result(callId, output, options)
  }

  /** Ends the step: commits what streams, and answers calls without a result as unknown, or as never started. */
  endStep(): void {
    this.#open().finish(this.#signal?.aborted === true ? 'interrupted' : 'whole')
    this.#appendStepEnd()
  }

  /**
   * Ends the turn, and its step. Closed already: does nothing.
   * @param reason default: completed; after an abort: aborted by the user. 'max-tokens' leaves out calls that were not
   * started, whose arguments may be cut off
   * @param options of the message that is made of what still streams, as for `commit`
   */
  end(reason?: TurnEndReason, options: Omit<CommitOptions, 'interrupted'> = {}): void {
    if (this.#isClosed) return
    this.#requireOpen()
    const why: TurnEndReason =
      reason ?? (this.#signal?.aborted === true ? { kind: 'aborted', reason: { kind: 'user' } } : { kind: 'completed' })
    if (this.#step !== undefined) {
      this.#step.finish(modeOf(why), options)
      this.#appendStepEnd()
    }
    // Before it is told: a listener of this very event may call `end`, too.
    this.#isClosed = true
    try {
      this.#session.append('turn/end', { turn: this.turn, reason: why })
    } catch (error) {
      this.#isClosed = false
      throw error
    }
  }

  #appendStepEnd(): void {
    this.#session.append('step/end', { turn: this.turn, step: this.#steps })
    this.#step = undefined
  }

  #going(): Step {
    this.#requireGoing()
    return this.#open()
  }

  #open(): Step {
    this.#requireOpen()
    if (this.#step === undefined) throw new Error('no step is open; call beginStep first')
    return this.#step
  }

  #requireGoing(): void {
    this.#signal?.throwIfAborted()
    this.#requireOpen()
  }

  /** Others may append to the session too, and end its turn. */
  #requireOpen(): void {
    const { open, step } = this.#session.turn
    if (this.#session.state === 'live' && !this.#isClosed) {
      if (open === this.turn && (step === undefined) === (this.#step === undefined)) return
      throw new Error(`turn ${this.turn} was ended, or its step, by another append`)
    }
    if (!this.#isClosed) return // append says why
    this.#signal?.throwIfAborted()
    throw new Error(`turn ${this.turn} is closed`)
  }
}

function modeOf({ kind }: TurnEndReason): CommitMode {
  if (kind === 'max-tokens') return 'cut'
  return kind === 'aborted' || kind === 'error' || kind === 'interrupted' ? 'interrupted' : 'whole'
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
