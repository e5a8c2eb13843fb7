/** What a person should see of a log, also while it streams: a fold that is carried on event by event. */
import type { SessionEvent, TurnEndReason } from './event.js'
import type { ContentBlock, ToolResultBlock } from './message.js'
import { StreamedBlocks } from './streamed.js'
import { advanceTurn, NO_TURN } from './turns.js'

/** A message, the answer being streamed, or the streamed part of one that was cut off. Frozen. */
export interface TranscriptEntry {
  /** The same while it streams and after, and after a reload; unique in its transcript. */
  readonly key: string
  /** Of the message; of the first chunk while there is none. */
  readonly seq: number
  /** Number of the turn that it belongs to. Absent: it stands outside of turns. */
  readonly turn?: number
  readonly role: 'user' | 'assistant'
  readonly blocks: readonly ContentBlock[]
  /** What the calls among the blocks were answered, by the id of the call. Without a prototype. */
  readonly results: { readonly [callId: string]: ToolResultBlock | undefined }
  /**
   * 'interrupted': cut off by an abort, a crash or its recorder, or streamed outside of turns; 'failed': by the error in
   * `reason`.
   */
  readonly state: 'streaming' | 'done' | 'interrupted' | 'failed'
  /** Why its turn ended. */
  readonly reason?: TurnEndReason
  /** The `turn/end` that closes its turn: where a fork with this entry may be made. Absent: its turn is open. */
  readonly forkAt?: number
}

/**
 * The transcript of a log: messages that were appended, with the results of their calls; those that replace others, as a
 * compaction's do, are for the model, and hide nothing here. Of an answer without a message, what had streamed.
 * Source: `spec` 2.5.
 */
export function foldTranscript(events: readonly SessionEvent[]): TranscriptEntry[] {
  const transcript = new Transcript()
  for (const event of events) transcript.apply(event)
  return [...transcript.entries]
}

const NO_RESULTS: TranscriptEntry['results'] = Object.freeze(Object.create(null) as object) as never

/** The answer being streamed. */
interface Stream {
  /** Its place. */
  at: number
  blocks: StreamedBlocks
  /** They hold more than the entry that was made of them. */
  isAhead: boolean
  /** Chunks that nobody needed yet. Most are never needed: the message comes before anybody looks. */
  waiting: unknown[]
  /** Ids of the calls that it makes, as far as there is no message to tell. */
  calls: Set<unknown>
}

export class Transcript {
  readonly #entries: TranscriptEntry[] = []
  #snapshot: readonly TranscriptEntry[] | undefined
  #turn = NO_TURN
  /** Place of the open turn's first entry. */
  #turnFrom = 0
  /** Place of its last step's first entry. */
  #stepFrom = 0
  /** Place of the entry that made a call, in the open turn. */
  readonly #callers = new Map<unknown, number>()
  #stream: Stream | undefined
  /** Results that arrived since the entries of their calls were made, by the place of those. */
  readonly #arrived = new Map<number, ToolResultBlock[]>()

  /** A frozen array, the same until something changes; entries that did not change are the same objects. */
  get entries(): readonly TranscriptEntry[] {
    this.#showStreamed()
    this.#showArrived()
    return (this.#snapshot ??= Object.freeze([...this.#entries]))
  }

  /** Takes the next event in. Costs the same however long the log is. */
  apply(event: SessionEvent): void {
    const before = this.#turn
    this.#turn = advanceTurn(before, event)
    switch (event.type) {
      case 'turn/start':
        this.#cutOff()
        this.#turnFrom = this.#stepFrom = this.#entries.length
        this.#callers.clear()
        break
      case 'step/start':
        this.#cutOff()
        this.#stepFrom = this.#entries.length
        break
      case 'step/end':
        this.#cutOff()
        break
      case 'turn/end':
        this.#cutOff()
        if (before.open !== undefined) this.#close(event)
        break
      case 'user/message':
        if (event.surfaceOp === 'append') this.#push(event, 'user', event.data.content, 'done')
        break
      case 'assistant/chunk':
        this.#chunk(event)
        break
      case 'assistant/message':
        if (event.surfaceOp === 'append') this.#message(event)
        break
      case 'tool/result':
        if (event.surfaceOp === 'append') this.#result(event.data.message.content[0])
        break
      default:
    }
  }

  #chunk(event: SessionEvent<'assistant/chunk'>): void {
    const chunk = (event.data as { chunk?: unknown } | null)?.chunk
    if (this.#stream !== undefined) return void this.#stream.waiting.push(chunk)
    const blocks = new StreamedBlocks()
    if (!blocks.add(chunk)) return
    // Outside of turns there is nothing whose end would tell that no message comes.
    const state = this.#turn.open === undefined ? 'interrupted' : 'streaming'
    const at = this.#push(event, 'assistant', [], state)
    this.#stream = { at, blocks, isAhead: true, waiting: [], calls: new Set(callsOf(chunk)) }
  }

  #takeIn(stream: Stream): void {
    for (const chunk of stream.waiting) {
      if (!stream.blocks.add(chunk)) continue
      stream.isAhead = true
      for (const id of callsOf(chunk)) stream.calls.add(id)
    }
    stream.waiting = []
  }

  /** The message takes the place of what was streamed of it. */
  #message(event: SessionEvent<'assistant/message'>): void {
    const { message, interrupted } = event.data
    const state = interrupted === true ? 'interrupted' : 'done'
    let at = this.#stream?.at
    this.#stream = undefined
    if (at === undefined) at = this.#push(event, 'assistant', message.content, state)
    else this.#replace(at, { seq: event.seq, blocks: message.content, state })
    for (const id of callsIn(message.content)) this.#callers.set(id, at)
  }

  #result(result: ToolResultBlock): void {
    const id = result.toolCallId
    if (this.#stream !== undefined) this.#takeIn(this.#stream)
    const at = this.#stream?.calls.has(id) === true ? this.#stream.at : this.#callers.get(id)
    if (at === undefined) return
    const arrived = this.#arrived.get(at)
    if (arrived === undefined) this.#arrived.set(at, [result])
    else arrived.push(result)
    this.#snapshot = undefined
  }

  /** No message will be made of what is streaming. */
  #cutOff(): void {
    if (this.#stream === undefined) return
    this.#showStreamed()
    const { at, calls } = this.#stream
    this.#replace(at, { state: 'interrupted' })
    for (const id of calls) this.#callers.set(id, at)
    this.#stream = undefined
  }

  /** Every entry of the turn learns how it ended; only its last step is what failed. */
  #close({ seq, data }: SessionEvent<'turn/end'>): void {
    const reason = (data as { reason?: TurnEndReason } | null)?.reason
    const failed = reason?.kind === 'error'
    for (let at = this.#turnFrom; at < this.#entries.length; at++) {
      const isCut = this.#entries[at]!.state === 'interrupted' && at >= this.#stepFrom
      const state = isCut && failed ? ({ state: 'failed' } as const) : {}
      this.#replace(at, { ...state, ...(reason !== undefined && { reason }), forkAt: seq })
    }
  }

  #push(
    { seq }: SessionEvent,
    role: TranscriptEntry['role'],
    blocks: readonly ContentBlock[],
    state: TranscriptEntry['state'],
  ): number {
    const turn = this.#turn.open
    const place = { key: String(seq), seq, ...(turn !== undefined && { turn }) }
    this.#entries.push(Object.freeze({ ...place, role, blocks, results: NO_RESULTS, state }))
    this.#snapshot = undefined
    return this.#entries.length - 1
  }

  #replace(at: number, change: Partial<TranscriptEntry>): void {
    this.#entries[at] = Object.freeze({ ...this.#entries[at]!, ...change })
    this.#snapshot = undefined
  }

  /** Makes the entry of what streamed since it was last looked at. */
  #showStreamed(): void {
    const stream = this.#stream
    if (stream === undefined) return
    this.#takeIn(stream)
    if (!stream.isAhead) return
    stream.isAhead = false
    this.#replace(stream.at, { blocks: Object.freeze(stream.blocks.all()) })
  }

  /** All at once: an entry may hold thousands, and is made anew with all of them. */
  #showArrived(): void {
    for (const [at, arrived] of this.#arrived) {
      const results = Object.assign(Object.create(null), this.#entries[at]!.results) as Record<string, ToolResultBlock>
      for (const result of arrived) results[result.toolCallId] = result
      this.#replace(at, { results: Object.freeze(results) })
    }
    this.#arrived.clear()
  }
}

/** Ids of the calls that a chunk makes or goes on with, after `StreamedBlocks` took it. */
function callsOf(chunk: unknown): unknown[] {
  const { type, id, block } = chunk as { type: unknown; id?: unknown; block?: unknown }
  if (type === 'tool-call-delta') return [id]
  return type === 'block-end' ? callsIn([block]) : []
}

/** Nobody checked the blocks. */
function callsIn(blocks: readonly unknown[]): unknown[] {
  return (blocks as (Partial<ContentBlock> | null)[]).flatMap((block) =>
    block?.type === 'tool-call' ? [block.id] : [],
  )
}
