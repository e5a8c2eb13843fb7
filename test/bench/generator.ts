/**
 * The logs that all are measured on: turns of an agent, as the sample logs of DSH have them. Of 373 chunks there, a delta
 * of text has 7.6 characters on average (median 4), of reasoning 4.2 (4), of a call's arguments 17 (2); a prompt has 295
 * as JSON, a tool's result 248. 77 % of the deltas came less than 10 ms after the one before. Samples are short, and real
 * logs are not: steps are as long as the longest ones there, and one result in twelve is a file or a page of 16 KB.
 */
import type { ContentBlock, Message, SessionEvent, StreamChunk } from 'idb-sessions'
import { randomFrom } from '../faults/random.js'

const MODEL = { provider: 'deepseek-official', model: 'deepseek-v4-flash' }
const LARGE_RESULT = 16 * 1024
const SYLLABLES = [
  'the ',
  'of',
  ' a',
  'ing ',
  'ter',
  'con',
  ' in ',
  's, ',
  'er ',
  'store',
  ' re',
  'ad',
  'über',
  '. ',
  'fork',
]

/** A log that grows by whole turns. The same for the same seed. */
export class Generator {
  readonly events: SessionEvent[] = []
  readonly #random: () => number
  #time = 1_783_952_000_000
  #turn: number
  #step = 0
  #ids = 0

  /** @param seq where the first event stands, of turn `turn` */
  constructor(
    private readonly seed = 1,
    private readonly seq = 0,
    turn = 1,
  ) {
    this.#random = randomFrom(seed)
    this.#turn = turn
  }

  /** What follows a log that ends with a turn. */
  static after(log: readonly SessionEvent[]): Generator {
    const { turn } = log.at(-1)!.data as { turn: number }
    return new Generator(2, log.length, turn + 1)
  }

  get next(): number {
    return this.seq + this.events.length
  }

  /** One turn: a prompt, and as many steps as it takes; all but the last one call tools. */
  turn(): void {
    this.#begin()
    const steps = 1 + this.#below(3)
    for (let step = 1; step <= steps; step++) this.#takeStep(step, step < steps)
    this.#finish()
  }

  /** One turn with one answer of so many deltas of text. */
  answer(deltas: number): void {
    this.#begin()
    this.#step = 1
    this.#add('step/start', this.#place())
    this.#say()
    const { block, seqs } = this.#stream('text', 0, deltas)
    this.#reply([block], seqs)
    this.#add('step/end', this.#place())
    this.#finish()
  }

  /** A turn that makes up to `length` events, of which there are none left over. */
  fill(length: number): void {
    this.#begin()
    while (this.next < length - 1) this.#add('todo/write', { todos: [{ content: this.#text(5), status: 'pending' }] })
    this.#finish()
  }

  #begin(): void {
    this.#add('turn/start', { turn: this.#turn })
  }

  #finish(): void {
    this.#add('turn/end', { turn: this.#turn, reason: { kind: 'completed' } })
    this.#turn++
  }

  #takeStep(step: number, calls: boolean): void {
    this.#step = step
    this.#add('step/start', this.#place())
    if (step === 1) this.#say()
    if (this.next < 5)
      this.#add('request/header', { header: { config: MODEL, system: this.#text(300) }, reason: 'initial' })
    const thought = this.#stream('reasoning', 0, 15 + this.#below(30))
    if (!calls) {
      const answer = this.#stream('text', 1, 10 + this.#below(90))
      this.#reply([thought.block, answer.block], [...thought.seqs, ...answer.seqs])
    } else this.#callTool(thought)
    this.#add('step/end', this.#place())
  }

  #callTool(thought: { block: ContentBlock; seqs: number[] }): void {
    const callId = this.#id('call')
    const path = this.#text(2 + this.#below(20))
    const seqs = this.#streamCall(callId, path)
    const args = JSON.stringify({ path })
    this.#reply(
      [thought.block, { type: 'tool-call', id: callId, name: 'read', arguments: args }],
      [...thought.seqs, ...seqs],
    )
    const called = this.#add('tool/call', { ...this.#place(), callId, name: 'read', arguments: args })
    const output = this.#random() < 1 / 12 ? this.#text(LARGE_RESULT / 3) : this.#text(10 + this.#below(80))
    const block: ContentBlock = { type: 'tool-result', toolCallId: callId, content: [{ type: 'text', text: output }] }
    const message = this.#message('user', [block], { kind: 'tool', callId })
    this.#add('tool/result', { ...this.#place(), message }, [called])
  }

  #say(): void {
    const content: ContentBlock[] = [{ type: 'text', text: this.#text(10 + this.#below(120)) }]
    this.#add('user/message', this.#message('user', content, { kind: 'user' }), undefined, true)
  }

  #reply(content: ContentBlock[], seqs: number[]): void {
    const message = this.#message('assistant', content, { kind: 'model', ...MODEL })
    const usage = {
      inputTokens: 900 + this.#below(9000),
      outputTokens: seqs.length,
      cacheReadTokens: this.#below(9000),
    }
    this.#chunk({ type: 'usage', usage })
    this.#chunk({ type: 'finish', reason: { kind: 'stop' } })
    this.#add('assistant/message', { ...this.#place(), message, usage }, [...seqs, this.next - 2, this.next - 1])
  }

  #stream(kind: 'text' | 'reasoning', index: number, count: number): { block: ContentBlock; seqs: number[] } {
    const seqs = [this.#chunk({ type: 'block-start', index, blockType: kind })]
    let text = ''
    for (let i = 0; i < count; i++) {
      const piece = this.#text(kind === 'text' ? 1 + this.#below(3) : 1 + this.#below(2))
      text += piece
      seqs.push(this.#chunk({ type: `${kind}-delta`, index, text: piece }))
    }
    const block: ContentBlock = { type: kind, text }
    seqs.push(this.#chunk({ type: 'block-end', index, block }))
    return { block, seqs }
  }

  #streamCall(id: string, path: string): number[] {
    const index = 1
    const seqs = [this.#chunk({ type: 'block-start', index, blockType: 'tool-call' })]
    seqs.push(this.#chunk({ type: 'tool-call-delta', index, id, name: 'read', argumentsDelta: '' }))
    // Most models send a call in small pieces, and some whole.
    const args = JSON.stringify({ path })
    const size = this.#random() < 0.1 ? args.length : 2 + this.#below(4)
    for (let at = 0; at < args.length; at += size) {
      seqs.push(this.#chunk({ type: 'tool-call-delta', index, id, argumentsDelta: args.slice(at, at + size) }))
    }
    const block: ContentBlock = { type: 'tool-call', id, name: 'read', arguments: args }
    seqs.push(this.#chunk({ type: 'block-end', index, block }))
    return seqs
  }

  #chunk(chunk: StreamChunk): number {
    return this.#add('assistant/chunk', { ...this.#place(), chunk })
  }

  /** Returns its seq. */
  #add(type: string, data: object, sourceEventSeqs?: number[], isMessage = sourceEventSeqs !== undefined): number {
    const { next: seq } = this
    this.#time += this.#random() < 0.77 ? this.#below(10) : 10 + this.#below(120)
    const intent = { ...(sourceEventSeqs && { sourceEventSeqs }), ...(isMessage && { surfaceOp: 'append' }) }
    this.events.push({ type, seq, time: this.#time, data, ...intent } as SessionEvent)
    return seq
  }

  #message(role: 'user' | 'assistant', content: ContentBlock[], source: Message['source']): Message {
    return { id: this.#id('message'), role, content, source }
  }

  #place(): { turn: number; step: number } {
    return { turn: this.#turn, step: this.#step }
  }

  /** As long as a UUID, which applications take. */
  #id(kind: string): string {
    return `${kind}-${this.seed}-${this.#turn}-${++this.#ids}`.padEnd(36, '0')
  }

  #text(pieces: number): string {
    let text = ''
    for (let i = 0; i < pieces; i++) text += SYLLABLES[this.#below(SYLLABLES.length)]
    return text
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end)
  }
}

/** A log of so many events, which ends with a turn. At least 2. */
export function logOf(length: number, seed = 1): SessionEvent[] {
  const generator = new Generator(seed)
  let whole = 0
  while (generator.next < length - 1) {
    whole = generator.next
    generator.turn()
  }
  if (generator.next === length) return generator.events
  const cut = new Generator(seed)
  while (cut.next < whole) cut.turn()
  cut.fill(length)
  return cut.events
}

/** The seqs of the `turn/end`s. */
export function endsOf(events: readonly SessionEvent[]): number[] {
  return events.filter(({ type }) => type === 'turn/end').map(({ seq }) => seq)
}
