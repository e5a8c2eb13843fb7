/** One step of a turn: an answer while it streams, then the calls that it made and their results. */
import { admitAppend } from '../log/admit.js'
import { closingResult } from '../log/closers.js'
import type { SessionEvent } from '../log/event.js'
import type { ContentBlock, JsonValue, StreamChunk, TokenUsage, ToolCallBlock } from '../log/message.js'
import { StreamedBlocks } from '../log/streamed.js'
import type { Session } from '../session.js'
import { SessionStoreError } from '../wire/errors.js'
import { randomUuid } from '../wire/token.js'
import { blocksOf, toJson } from './message.js'

/** Whose answer a step holds. Both are non-empty. */
export interface StepModel {
  provider: string
  model: string
}

/** What a message has beside its content. */
export interface MessageOptions {
  usage?: TokenUsage | undefined
  replayState?: JsonValue | undefined
}

export interface ResultOptions {
  isError?: boolean | undefined
  /** What kind of error it was, for programs. Makes it an error by itself. */
  error?: { name: string; code: string } | undefined
}

/** 'whole': all of it. 'cut': without the calls that were not started. 'interrupted': and without blank text. */
export type CommitMode = 'whole' | 'cut' | 'interrupted'

/** A block by what tells it from others, and the index that its chunks name it by. */
interface Place {
  kind: string
  key: string | undefined
  index: number
}

/** What streams and is no message yet. */
class Draft {
  readonly blocks = new StreamedBlocks()
  readonly chunkSeqs: number[] = []
  /** Index of the block of a kind and key. */
  readonly indexes = new Map<string, number>()
  /** The block that the last chunk was for. */
  last: Place | undefined
}

interface Call {
  isStarted: boolean
  isAnswered: boolean
  /** In a message, which the events of the call must follow. */
  block?: ToolCallBlock
  /** Its `tool/call`. */
  seq?: number
  /** Came before the message did. */
  result?: ResultData
}

type ResultData = SessionEvent<'tool/result'>['data']

const NO_TYPES: ReadonlySet<string> = new Set()
/** Takes as much room in an event as any. */
const LAST_SEQ = Number.MAX_SAFE_INTEGER

export class Step {
  #draft = new Draft()
  #hasMessage = false
  readonly #calls = new Map<string, Call>()

  constructor(
    private readonly session: Session,
    private readonly place: { turn: number; step: number },
    private readonly model: StepModel,
  ) {}

  delta(kind: 'text' | 'reasoning', text: string, key: string | undefined): void {
    if (text === '') return
    this.#requireAnswers()
    const place = this.#placeOf(kind, key)
    this.#chunk({ type: `${kind}-delta`, index: place.index, text }, place)
  }

  call(callId: string, name: string | undefined, argumentsDelta: string): void {
    const call = this.#calls.get(callId)
    if (call?.block !== undefined) throw new Error(`the message with the call '${callId}' is committed already`)
    const isNew = call === undefined
    if (isNew && name === undefined) throw new Error(`the call '${callId}' is new: it needs the name of a tool`)
    if (!isNew && argumentsDelta === '') return
    this.#requireAnswers()
    const place = this.#placeOf('call', callId)
    const { index } = place
    this.#chunk({ type: 'tool-call-delta', index, id: callId, ...(isNew && { name: name! }), argumentsDelta }, place)
    if (isNew) this.#calls.set(callId, { isStarted: false, isAnswered: false })
  }

  /** Makes a message of what streamed, then lets the started calls follow it. */
  commit(mode: CommitMode, { usage, replayState }: MessageOptions = {}): void {
    const { blocks, chunkSeqs } = this.#draft
    if (this.#hasMessage && blocks.length === 0) return
    const content = mode === 'whole' ? blocks.all() : blocks.all().filter((block) => this.#stays(block, mode))
    if (mode !== 'interrupted' || content.length > 0) {
      const state = replayState === undefined ? {} : { replayState: toJson(replayState) }
      const source = { kind: 'model', ...this.model, ...state } as const
      const message = { id: randomUuid(), role: 'assistant', content, source } as const
      this.session.append(
        'assistant/message',
        {
          ...this.place,
          message,
          ...(usage !== undefined && { usage: toJson(usage) as unknown as TokenUsage }),
          ...(mode === 'interrupted' && { interrupted: true }),
        },
        { surfaceOp: 'append', sourceEventSeqs: chunkSeqs },
      )
      this.#hasMessage = true
    }
    this.#draft = new Draft()
    for (const block of content) {
      const call = block.type === 'tool-call' ? this.#calls.get(block.id) : undefined
      if (call !== undefined) call.block = block as ToolCallBlock
    }
    for (const [callId, call] of this.#calls) {
      if (call.block === undefined) this.#calls.delete(callId)
      else this.#writeWaiting(call)
    }
  }

  /** Begins no second time. The `tool/call` waits for the message. */
  start(callId: string): void {
    const call = this.#known(callId)
    if (call.isStarted) return
    // Not started if it cannot be written, such as from inside a listener.
    if (call.block !== undefined) this.#writeStart(call)
    call.isStarted = true
  }

  result(callId: string, output: string | ContentBlock[], options: ResultOptions): void {
    const call = this.#known(callId)
    if (call.isAnswered || call.result !== undefined) throw new Error(`the call '${callId}' has a result already`)
    const data = this.#admit(callId, output, options)
    this.start(callId)
    if (call.seq === undefined) call.result = data
    else this.#writeResult(call, data)
  }

  /** Commits what streams, then answers every call that has no result. */
  finish(mode: CommitMode, options?: MessageOptions): void {
    if (this.#draft.blocks.length > 0) this.commit(mode, options)
    for (const [callId, call] of this.#calls) {
      this.#writeWaiting(call)
      if (call.isAnswered) continue
      const callSeq = call.seq === undefined ? {} : { callSeq: call.seq }
      const { turn, step } = this.place
      this.#writeResult(call, closingResult(callId, { step, ...callSeq }, turn, this.session.seq, 0).data)
    }
  }

  #chunk(chunk: StreamChunk, place: Place): void {
    const { seq } = this.session.append('assistant/chunk', { ...this.place, chunk })
    // A chunk that was refused, such as one from inside a listener, has no place.
    const { chunkSeqs, blocks, indexes } = this.#draft
    chunkSeqs.push(seq)
    blocks.add(chunk)
    if (place.key !== undefined) indexes.set(`${place.kind} ${place.key}`, place.index)
    this.#draft.last = place
  }

  /** Without a key: the block that the last chunk was for, as long as the kind stays the same. */
  #placeOf(kind: string, key: string | undefined): Place {
    const { blocks, indexes, last } = this.#draft
    if (last !== undefined && last.kind === kind && last.key === key) return last
    const known = key === undefined ? undefined : indexes.get(`${kind} ${key}`)
    return { kind, key, index: known ?? blocks.length }
  }

  #stays(block: ContentBlock, mode: CommitMode): boolean {
    if (block.type === 'tool-call') return this.#calls.get(block.id)?.isStarted === true
    return mode === 'cut' || ('text' in block && block.text.trim() !== '')
  }

  #known(callId: string): Call {
    const call = this.#calls.get(callId)
    if (call === undefined) throw new Error(`this step made no call '${callId}'`)
    return call
  }

  /** A message between a call and its result is refused by the model's next request. */
  #requireAnswers(): void {
    for (const [callId, { block, isAnswered }] of this.#calls) {
      if (block !== undefined && !isAnswered) {
        throw new Error(`the call '${callId}' has no result yet; the answer goes on after it, or in another step`)
      }
    }
  }

  /** A copy of a result, which may wait for its message: so what is wrong with it is said now. */
  #admit(callId: string, output: string | ContentBlock[], { isError, error }: ResultOptions): ResultData {
    const failed = isError ?? error !== undefined
    const block = { type: 'tool-result', toolCallId: callId, content: blocksOf(output) } as const
    const data: ResultData = {
      ...this.place,
      message: {
        id: randomUuid(),
        role: 'user',
        content: [{ ...block, ...(failed && { isError: true }) }],
        source: { kind: 'tool', callId },
      },
      ...(error !== undefined && { error: { name: error.name, code: error.code } }),
    }
    const intent = { surfaceOp: 'append', sourceEventSeqs: [LAST_SEQ] }
    const admitted = admitAppend({ type: 'tool/result', data, intent }, LAST_SEQ, LAST_SEQ, NO_TYPES)
    if ('event' in admitted) return admitted.event.data as ResultData
    const reason = `the result of the call '${callId}' is refused: ${admitted.reason}`
    throw new SessionStoreError('INVALID_EVENT', reason, { sessionId: this.session.id })
  }

  /** What came before the message did. */
  #writeWaiting(call: Call): void {
    if (call.isStarted && call.seq === undefined) this.#writeStart(call)
    if (call.result !== undefined) this.#writeResult(call, call.result)
  }

  #writeStart(call: Call): void {
    const { id: callId, name, arguments: json } = call.block!
    call.seq = this.session.append('tool/call', { ...this.place, callId, name, arguments: json }).seq
  }

  #writeResult(call: Call, data: ResultData): void {
    const sources = call.seq === undefined ? {} : { sourceEventSeqs: [call.seq] }
    this.session.append('tool/result', data, { surfaceOp: 'append', ...sources })
    call.isAnswered = true
    delete call.result
  }
}
