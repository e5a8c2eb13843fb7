/** One step of a turn: an answer while it streams, then the calls that it made and their results. */
import type { SessionEvent } from '../log/event.js'
import { closingResult } from '../log/closers.js'
import { snapshotJsonValue } from '../log/json.js'
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

/** What streams and is no message yet. */
class Draft {
  readonly blocks = new StreamedBlocks()
  readonly chunkSeqs: number[] = []
  /** Block of a kind and key, by its index. */
  readonly indexes = new Map<string, number>()
  /** The block that the last chunk was for. */
  last: { kind: string; key: string | undefined; index: number } | undefined
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
    if (text !== '') this.#chunk({ type: `${kind}-delta`, index: this.#indexOf(kind, key), text })
  }

  call(callId: string, name: string | undefined, argumentsDelta: string): void {
    const call = this.#calls.get(callId)
    if (call?.block !== undefined) throw new Error(`the message with the call '${callId}' is committed already`)
    const isNew = call === undefined
    if (isNew && name === undefined) throw new Error(`the call '${callId}' is new: it needs the name of a tool`)
    if (!isNew && argumentsDelta === '') return
    const index = this.#indexOf('call', callId)
    this.#chunk({ type: 'tool-call-delta', index, id: callId, ...(isNew && { name: name! }), argumentsDelta })
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
      else if (call.isStarted && call.seq === undefined) this.#writeStart(call)
    }
  }

  /** Begins no second time. The `tool/call` waits for the message. */
  start(callId: string): void {
    const call = this.#known(callId)
    if (call.isStarted) return
    call.isStarted = true
    if (call.block !== undefined) this.#writeStart(call)
  }

  result(callId: string, output: string | ContentBlock[], { isError, error }: ResultOptions): void {
    const call = this.#known(callId)
    if (call.isAnswered) throw new Error(`the call '${callId}' has a result already`)
    const failed = isError ?? error !== undefined
    const block = { type: 'tool-result', toolCallId: callId, content: blocksOf(output) } as const
    // A copy, since it may wait for the message.
    const data = snapshotJsonValue<ResultData>({
      ...this.place,
      message: {
        id: randomUuid(),
        role: 'user',
        content: [{ ...block, ...(failed && { isError: true }) }],
        source: { kind: 'tool', callId },
      },
      ...(error !== undefined && { error: { name: error.name, code: error.code } }),
    })
    if (data === undefined) {
      const reason = `the result of the call '${callId}' must be lossless JSON; toJson makes it so`
      throw new SessionStoreError('INVALID_EVENT', reason, { sessionId: this.session.id })
    }
    this.start(callId)
    if (call.seq === undefined) call.result = data
    else this.#writeResult(call, data)
    call.isAnswered = true
  }

  /** Commits what streams, then answers every call that has no result. */
  finish(mode: CommitMode, options?: MessageOptions): void {
    if (this.#draft.blocks.length > 0) this.commit(mode, options)
    for (const [callId, call] of this.#calls) {
      if (call.isAnswered) continue
      const callSeq = call.seq === undefined ? {} : { callSeq: call.seq }
      const { turn, step } = this.place
      this.#writeResult(call, closingResult(callId, { step, ...callSeq }, turn, this.session.seq, 0).data)
      call.isAnswered = true
    }
  }

  #chunk(chunk: StreamChunk): void {
    const { seq } = this.session.append('assistant/chunk', { ...this.place, chunk })
    this.#draft.chunkSeqs.push(seq)
    this.#draft.blocks.add(chunk)
  }

  /** Without a key: the block that the last chunk was for, as long as the kind stays the same. */
  #indexOf(kind: string, key: string | undefined): number {
    const { indexes, last } = this.#draft
    if (last !== undefined && last.kind === kind && last.key === key) return last.index
    const name = key === undefined ? undefined : `${kind} ${key}`
    const index = (name === undefined ? undefined : indexes.get(name)) ?? this.#draft.blocks.length
    if (name !== undefined) indexes.set(name, index)
    this.#draft.last = { kind, key, index }
    return index
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

  #writeStart(call: Call): void {
    const { id: callId, name, arguments: json } = call.block!
    call.seq = this.session.append('tool/call', { ...this.place, callId, name, arguments: json }).seq
    if (call.result !== undefined) this.#writeResult(call, call.result)
  }

  #writeResult({ seq }: Call, data: ResultData): void {
    const sources = seq === undefined ? {} : { sourceEventSeqs: [seq] }
    this.session.append('tool/result', data, { surfaceOp: 'append', ...sources })
  }
}
