/** Turns of the shapes that DSH writes (`spec` 1.7), appended to a live session or to a log in memory. */
import type { ContentBlock, Session, SessionEvent, StreamChunk, TurnEndReason, UserMessage } from 'idb-sessions'
import { foldSurface } from 'idb-sessions/log'

/** As much of a `Session` as a turn needs to be written. */
export type LogWriter = Pick<Session, 'append' | 'seq'> & {
  readonly turn: Pick<Session['turn'], 'next'>
  readonly surface: Pick<Session['surface'], 'nodes'>
}

/** Appends events of one kind of turn; `size` says how much of it. */
export type Shape = (log: LogWriter, size: number) => void

/** A log in memory that takes events as a session does, unchecked, with a clock of its own. */
export class PlainLog implements LogWriter {
  readonly events: SessionEvent[] = []
  #time = 1_783_952_000_000

  get seq(): number {
    return this.events.length
  }

  get turn(): { next: number } {
    const starts = this.events.filter((event) => event.type === 'turn/start')
    return { next: (starts.at(-1)?.data.turn ?? 0) + 1 }
  }

  get surface(): { nodes: number[] } {
    return foldSurface(this.events)
  }

  append: Session['append'] = (type, data, ...[intent]) => {
    const { sourceEventSeqs, surfaceOp } = intent ?? {}
    const event = {
      type,
      seq: this.events.length,
      time: (this.#time += 7),
      data,
      ...(sourceEventSeqs !== undefined && { sourceEventSeqs }),
      ...(surfaceOp !== undefined && { surfaceOp }),
    } as unknown
    this.events.push(event as SessionEvent)
    return event as SessionEvent<typeof type>
  }
}

let ids = 0
const newId = (kind: string): string => `${kind}-${++ids}`
const APPEND = { surfaceOp: 'append' } as const
const MODEL = { provider: 'deepseek-official', model: 'deepseek-v4-flash' }
const text = (text: string): ContentBlock => ({ type: 'text', text })
const words = (size: number): string => 'and so on, with an ü and a 😀 '.repeat(size)

function prompt(content: ContentBlock[]): UserMessage {
  return { id: newId('user'), role: 'user', content, source: { kind: 'user' } }
}

/** One step of an open turn. */
class Step {
  readonly #chunks: number[] = []

  constructor(
    readonly log: LogWriter,
    readonly turn: number,
    readonly step: number,
  ) {
    log.append('step/start', this.place)
  }

  get place(): { turn: number; step: number } {
    return { turn: this.turn, step: this.step }
  }

  say(...content: ContentBlock[]): number {
    return this.log.append('user/message', prompt(content), APPEND).seq
  }

  chunk(chunk: StreamChunk): void {
    this.#chunks.push(this.log.append('assistant/chunk', { ...this.place, chunk }).seq)
  }

  /** Streams deltas and the block they make; four or more become a chunk row when stored. */
  stream(kind: 'text' | 'reasoning', index: number, count: number): ContentBlock {
    this.chunk({ type: 'block-start', index, blockType: kind })
    for (let i = 0; i < count; i++) this.chunk({ type: `${kind}-delta`, index, text: `${kind} ${i} ` })
    const block: ContentBlock = { type: kind, text: Array.from({ length: count }, (_, i) => `${kind} ${i} `).join('') }
    this.chunk({ type: 'block-end', index, block })
    return block
  }

  streamCall(index: number, id: string, count: number): ContentBlock {
    this.chunk({ type: 'block-start', index, blockType: 'tool-call' })
    this.chunk({ type: 'tool-call-delta', index, id, name: 'ls', argumentsDelta: '{"path":"' })
    for (let i = 0; i < count; i++) this.chunk({ type: 'tool-call-delta', index, id, argumentsDelta: `/d${i}` })
    const block: ContentBlock = { type: 'tool-call', id, name: 'ls', arguments: `{"path":"/d${count}"}` }
    this.chunk({ type: 'block-end', index, block })
    return block
  }

  answer(content: ContentBlock[], interrupted = false): number {
    const message = {
      id: newId('assistant'),
      role: 'assistant' as const,
      content,
      source: { kind: 'model' as const, ...MODEL },
    }
    const data = { ...this.place, message, usage: { inputTokens: 3, outputTokens: content.length } }
    const sources = { surfaceOp: 'append' as const, sourceEventSeqs: [...this.#chunks] }
    return this.log.append('assistant/message', interrupted ? { ...data, interrupted: true } : data, sources).seq
  }

  call(callId: string): number {
    return this.log.append('tool/call', { ...this.place, callId, name: 'ls', arguments: '{}' }).seq
  }

  result(callId: string, callSeq: number, output: string): number {
    const data = this.#result(newId('result'), callId, output)
    return this.log.append('tool/result', data, { surfaceOp: 'append', sourceEventSeqs: [callSeq] }).seq
  }

  /** A result whose content is then replaced by a shorter one. */
  prunedResult(callId: string, callSeq: number, output: string): void {
    const id = newId('result')
    const whole = this.#result(id, callId, output)
    const { seq } = this.log.append('tool/result', whole, { surfaceOp: 'append', sourceEventSeqs: [callSeq] })
    const surfaceOp = { op: 'replace' as const, start: seq, end: seq }
    this.log.append('tool/result', this.#result(id, callId, '[pruned]'), { surfaceOp, sourceEventSeqs: [seq] })
  }

  end(): void {
    this.log.append('step/end', this.place)
  }

  #result(id: string, callId: string, output: string) {
    return {
      ...this.place,
      message: {
        id,
        role: 'user' as const,
        source: { kind: 'tool' as const, callId },
        content: [{ type: 'tool-result' as const, toolCallId: callId, content: [text(output)] }] as [
          { type: 'tool-result'; toolCallId: string; content: ContentBlock[] },
        ],
      },
    }
  }
}

function inTurn(log: LogWriter, body: (turn: number) => TurnEndReason | undefined): void {
  const turn = log.turn.next
  log.append('turn/start', { turn })
  const reason = body(turn)
  if (reason !== undefined) log.append('turn/end', { turn, reason })
}

const COMPLETED: TurnEndReason = { kind: 'completed' }

export const shapes = {
  /** A prompt and a streamed answer. */
  chat(log, size) {
    inTurn(log, (turn) => {
      const step = new Step(log, turn, 1)
      step.say(text(`question ${words(size)}`))
      if (turn === 1) {
        log.append('request/header', { header: { config: MODEL, system: 'You help.' }, reason: 'initial' })
        log.append('request/context', { ...MODEL, contextWindow: 128_000 })
      }
      const answer = step.stream('text', 0, size)
      step.chunk({ type: 'usage', usage: { inputTokens: 3, outputTokens: size } })
      step.chunk({ type: 'finish', reason: { kind: 'stop' } })
      step.answer([answer])
      step.end()
      return COMPLETED
    })
  },

  /** Long runs of every kind of delta. */
  packedChunks(log, size) {
    inTurn(log, (turn) => {
      const first = new Step(log, turn, 1)
      first.say(text('list it'))
      const callId = newId('call')
      const content = [first.stream('reasoning', 0, 3 + size * 3), first.streamCall(1, callId, 3 + size * 2)]
      first.answer(content)
      const callSeq = first.call(callId)
      log.append('hook/invoked', { turn, point: 'post-tool', dialect: 'codex', handlerId: 'h' })
      first.result(callId, callSeq, words(size))
      first.end()
      const second = new Step(log, turn, 2)
      second.answer([second.stream('reasoning', 0, 3 + size), second.stream('text', 1, 3 + size * 5)])
      second.end()
      return COMPLETED
    })
  },

  parallelCalls(log, size) {
    inTurn(log, (turn) => {
      const step = new Step(log, turn, 1)
      step.say(text('do all of it'))
      const calls = Array.from({ length: 1 + size }, () => newId('call'))
      step.answer(calls.map((id, index) => step.streamCall(index, id, 1)))
      const seqs = calls.map((id) => step.call(id))
      calls.forEach((id, i) => step.result(id, seqs[i]!, `output ${i}`))
      step.end()
      return COMPLETED
    })
  },

  /** A tool whose long result is pruned at once: a replacement of one tool result. */
  prunedResult(log, size) {
    inTurn(log, (turn) => {
      const step = new Step(log, turn, 1)
      step.say(text('read the file'))
      const callId = newId('call')
      step.answer([step.streamCall(0, callId, 1)])
      step.prunedResult(callId, step.call(callId), words(10 * size))
      step.end()
      return COMPLETED
    })
  },

  cancelledStream(log, size) {
    inTurn(log, (turn) => {
      const step = new Step(log, turn, 1)
      step.say(text('go on'))
      step.chunk({ type: 'block-start', index: 0, blockType: 'text' })
      for (let i = 0; i < size; i++) step.chunk({ type: 'text-delta', index: 0, text: 'part ' })
      step.answer([text('part '.repeat(size))], true)
      step.end()
      return { kind: 'aborted', reason: { kind: 'user' } }
    })
  },

  cancelledCalls(log, size) {
    inTurn(log, (turn) => {
      const step = new Step(log, turn, 1)
      step.say(text('call them'))
      const calls = Array.from({ length: 1 + size }, () => newId('call'))
      step.answer(calls.map((id, index) => step.streamCall(index, id, 0)))
      for (const id of calls) step.result(id, step.call(id), 'cancelled by the user')
      step.end()
      return { kind: 'aborted', reason: { kind: 'user' } }
    })
  },

  errorFinish(log) {
    inTurn(log, (turn) => {
      const step = new Step(log, turn, 1)
      step.say(text('hello?'))
      const failure = { message: 'simulated provider error (HTTP 401)', code: 'AUTH', status: 401 }
      step.chunk({ type: 'finish', reason: { kind: 'error', failure } })
      step.end()
      return { kind: 'error', error: failure }
    })
  },

  maxTokens(log, size) {
    inTurn(log, (turn) => {
      const step = new Step(log, turn, 1)
      step.say(text('write a novel'))
      const content = step.stream('text', 0, 2 + size)
      step.chunk({ type: 'finish', reason: { kind: 'max-tokens' } })
      step.answer([content])
      step.end()
      return { kind: 'max-tokens' }
    })
  },

  /** Everything the model sees so far becomes one message. */
  compaction(log, size) {
    inTurn(log, (turn) => {
      const step = new Step(log, turn, 1)
      step.say(text('first'))
      step.answer([step.stream('text', 0, size)])
      const shadowedSeqs = [...log.surface.nodes]
      const [start, end] = [shadowedSeqs[0]!, shadowedSeqs.at(-1)!]
      const compactionId = newId('compaction')
      log.append('compaction/start', { compactionId, turn })
      log.append('compaction/summary', {
        compactionId,
        summary: [text('what was said')],
        shadowedRange: { start, end },
        shadowedSeqs,
        shadowedTokenCount: 100,
        ...MODEL,
        rawOutput: [text('what was said')],
        llmStreamCall: true,
      })
      const surfaceOp = { op: 'replace' as const, start, end }
      log.append('user/message', prompt([text('what was said')]), { surfaceOp, sourceEventSeqs: shadowedSeqs })
      log.append('compaction/end', { compactionId, turn })
      step.answer([step.stream('text', 0, size)])
      step.end()
      return COMPLETED
    })
  },

  inlineImage(log) {
    inTurn(log, (turn) => {
      const step = new Step(log, turn, 1)
      const attachment = {
        attachmentId: 'sha256:b1ff',
        mediaType: 'image/png' as const,
        bytes: 69,
        width: 1,
        height: 1,
      }
      step.say(text('what is this? '), { type: 'image', attachment }, text('one word'))
      step.answer([step.stream('text', 0, 1)])
      step.end()
      return COMPLETED
    })
  },

  /** A second prompt arrives while a tool runs, and enters the next step. */
  steering(log, size) {
    inTurn(log, (turn) => {
      const first = new Step(log, turn, 1)
      const said = first.say(text('begin'))
      log.append('session/title', { title: 'begin', messageSeqs: [said], source: { kind: 'fallback' } })
      const callId = newId('call')
      first.answer([first.streamCall(0, callId, 2 + size)])
      first.result(callId, first.call(callId), 'done')
      first.say(text('no, the other one'))
      first.end()
      const second = new Step(log, turn, 2)
      second.answer([second.stream('reasoning', 0, size), second.stream('text', 1, size)])
      second.end()
      return COMPLETED
    })
  },

  /** An answer without content, a retry, and one with. */
  emptyResponse(log, size) {
    inTurn(log, (turn) => {
      const step = new Step(log, turn, 1)
      step.say(text('well?'))
      step.chunk({ type: 'finish', reason: { kind: 'stop' } })
      step.answer([])
      log.append('llm/retry-started', { retryId: newId('retry'), turn, step: 1, retry: 1 })
      step.answer([step.stream('text', 0, size)])
      step.end()
      return COMPLETED
    })
  },

  /** A turn without a step. */
  blocked(log) {
    inTurn(log, () => ({ kind: 'blocked' }))
  },

  title(log, size) {
    log.append('session/title', { title: `title ${words(size)}`, messageSeqs: [], source: { kind: 'user' } })
  },
} satisfies Record<string, Shape>

/** Beginnings of turns, as a crash or a release leaves them. */
export const openShapes = {
  onlyStart(log) {
    inTurn(log, () => undefined)
  },

  streaming(log, size) {
    inTurn(log, (turn) => {
      const step = new Step(log, turn, 1)
      step.say(text('wait for it'))
      step.stream('text', 0, size)
      step.chunk({ type: 'text-delta', index: 1, text: 'an' })
      return undefined
    })
  },

  /** One call answered, one running, the rest not started. */
  calling(log, size) {
    inTurn(log, (turn) => {
      const step = new Step(log, turn, 1)
      step.say(text('run them'))
      const calls = Array.from({ length: 2 + size }, () => newId('call'))
      step.answer(calls.map((id, index) => step.streamCall(index, id, 0)))
      step.result(calls[0]!, step.call(calls[0]!), 'one')
      step.call(calls[1]!)
      return undefined
    })
  },
} satisfies Record<string, Shape>

/** A streaming run of chunks and nothing else, as tokens come in. */
export function streamChunks(log: LogWriter, count: number): void {
  const place = { turn: Math.max(1, log.turn.next - 1), step: 1 }
  for (let i = 0; i < count; i++) {
    log.append('assistant/chunk', { ...place, chunk: { type: 'text-delta', index: 0, text: `token ${i} ` } })
  }
}
