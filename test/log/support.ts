/** Logs as short as their point allows: drafts of events, numbered by `log`, and arbitraries of whole logs. */
import fc from 'fast-check'
import { admitAppend } from '../../lib/log/admit.js'
import type { SessionEvent, TurnEndReason } from '../../lib/log/event.js'
import { LogIntake } from '../../lib/log/intake.js'
import { decodeLines } from '../../lib/log/jsonl.js'
import type { ContentBlock } from '../../lib/log/message.js'
import { Surface } from '../../lib/log/surface.js'

/** An event without its place in a log; nothing of it is sure to be well-formed. */
export interface Draft {
  type: string
  data: unknown
  time?: number
  ignorable?: true
  sourceEventSeqs?: unknown
  surfaceOp?: unknown
}

export const T0 = 1_700_000_000_000

/** Numbers drafts from 0, 10 ms apart. */
export function log(...drafts: readonly (Draft | readonly Draft[])[]): SessionEvent[] {
  return drafts.flat().map((draft, seq) => {
    const { type, data, time = T0 + seq * 10, ...rest } = draft
    return { type, seq, time, data, ...rest } as unknown as SessionEvent
  })
}

export const start = (turn: number): Draft => ({ type: 'turn/start', data: { turn } })
export const end = (turn: number, reason: TurnEndReason = { kind: 'completed' }): Draft => ({
  type: 'turn/end',
  data: { turn, reason },
})
/** A finished turn: its start, a prompt or what is given, its end. */
export const turn = (n: number, ...inside: Draft[]): Draft[] => [
  start(n),
  ...(inside.length > 0 ? inside : [user(`prompt ${n}`)]),
  end(n),
]
export const stepStart = (turn: number, step: number): Draft => ({ type: 'step/start', data: { turn, step } })
export const stepEnd = (turn: number, step: number): Draft => ({ type: 'step/end', data: { turn, step } })

const text = (text: string): ContentBlock => ({ type: 'text', text })
export const toolCall = (id: string): ContentBlock => ({ type: 'tool-call', id, name: 'ls', arguments: '{}' })

export const user = (prompt: string): Draft => ({
  type: 'user/message',
  data: { id: `id of ${prompt}`, role: 'user', content: [text(prompt)], source: { kind: 'user' } },
  surfaceOp: 'append',
})
export const assistant = (content: string | readonly unknown[], place: object = { turn: 1, step: 1 }): Draft => ({
  type: 'assistant/message',
  data: {
    ...place,
    message: {
      id: 'answer',
      role: 'assistant',
      content: typeof content === 'string' ? [text(content)] : content,
      source: { kind: 'model', provider: 'p', model: 'm' },
    },
  },
  surfaceOp: 'append',
})
export const call = (callId: string): Draft => ({
  type: 'tool/call',
  data: { turn: 1, step: 1, callId, name: 'ls', arguments: '{}' },
})
export const result = (callId: string, output = 'done', more: object = {}): Draft => ({
  type: 'tool/result',
  data: {
    turn: 1,
    step: 1,
    message: {
      id: `result of ${callId}`,
      role: 'user',
      source: { kind: 'tool', callId },
      content: [{ type: 'tool-result', toolCallId: callId, content: [text(output)] }],
    },
    ...more,
  },
  surfaceOp: 'append',
})
export const chunk = (chunk: object, place: object = { turn: 1, step: 1 }): Draft => ({
  type: 'assistant/chunk',
  data: { ...place, chunk },
})
export const delta = (text: string, index = 0): Draft => chunk({ type: 'text-delta', index, text })
export const toolDelta = (argumentsDelta: string, name?: string, id = 'c'): Draft =>
  chunk({ type: 'tool-call-delta', index: 0, id, ...(name !== undefined && { name }), argumentsDelta })
export const title = (title: string): Draft => ({
  type: 'session/title',
  data: { title, messageSeqs: [], source: { kind: 'user' } },
})
export const endSeed: Draft = { type: 'session/end-seed', data: {} }
export const requestHeader = (header: object = {}): Draft => ({
  type: 'request/header',
  data: { header: { config: { provider: 'p', model: 'm' }, ...header }, reason: 'initial' },
})
/** The same draft in place of the nodes from `start` to `end`. */
export const replacing = (draft: Draft, start: number, end: number, sourceEventSeqs: unknown): Draft => ({
  ...draft,
  sourceEventSeqs,
  surfaceOp: { op: 'replace', start, end },
})

export const nested = (levels: number): unknown => {
  let value: unknown = []
  for (let level = 1; level < levels; level++) value = [value]
  return value
}

export const HEADER_LINE = '{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}'
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
/** A session file of these lines. */
export const fileOf = (lines: readonly (SessionEvent | object | string)[], header = HEADER_LINE): Uint8Array =>
  bytesOf([header, ...lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))), ''].join('\n'))

const piece = fc.string({ unit: 'binary', maxLength: 12 })
const stream = fc
  .tuple(fc.constantFrom('text-delta', 'reasoning-delta'), fc.array(piece, { maxLength: 8 }), fc.nat(2))
  .map(([type, texts, index]) => texts.map((text) => chunk({ type, index, text })))
const toolStream = fc
  .tuple(fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 6 }), fc.boolean())
  .map(([pieces, named]) =>
    pieces.map(([args, again], k) => toolDelta(args, named && (k === 0 || again) ? 'ls' : undefined)),
  )
const calls = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 })
const step = fc.tuple(fc.array(fc.oneof(stream, toolStream), { maxLength: 3 }), piece, calls, fc.boolean())
const turns = fc.array(fc.tuple(piece, fc.array(step, { maxLength: 3 }), fc.option(piece), fc.boolean()), {
  maxLength: 4,
})

/** What a real agent loop writes (`spec` 1.7), with titles between turns, cut off anywhere. Times go back now and then. */
export const realLog: fc.Arbitrary<SessionEvent[]> = fc
  .tuple(turns, fc.nat(4), fc.array(fc.integer({ min: -5, max: 60 }), { minLength: 1, maxLength: 20 }))
  .map(([turns, missing, gaps]) => {
    const drafts = turns.flatMap(([prompt, steps, titled, requested], t) => [
      start(t + 1),
      ...steps.flatMap(([streams, answer, calls], s) => {
        const place = { turn: t + 1, step: s + 1 }
        return [
          stepStart(t + 1, s + 1),
          ...(s === 0 ? [user(prompt)] : []),
          ...(requested ? [requestHeader({ system: prompt })] : []),
          ...streams.flat(),
          assistant([text(answer), ...calls.map(toolCall)], place),
          ...calls.flatMap((id) => [call(id), result(id, answer)]),
          stepEnd(t + 1, s + 1),
        ]
      }),
      end(t + 1),
      ...(titled === null ? [] : [title(titled)]),
    ])
    let time = T0
    const timed = drafts.map((draft, k) => ({ ...draft, time: (time += gaps[k % gaps.length]!) }))
    return log(timed.slice(0, Math.max(0, timed.length - missing)))
  })

const OWN_TYPE = 'my/own'
const odd = fc.oneof(
  fc.constantFrom(null, true, -1, 0.5, Number.MAX_SAFE_INTEGER, 2 ** 60, '', 'x', '1', []),
  fc.jsonValue({ maxDepth: 1 }),
  fc.constant(nested(400)),
)
const oddFields = (fields: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(odd, fc.record(Object.fromEntries(fields.map((field) => [field, odd])), { requiredKeys: [] }))
const name = fc.constantFrom('a', 'b', '1', '__proto__', '\ud800')
const oddBlock = fc.oneof(odd, fc.record({ type: fc.constant('tool-call'), id: fc.oneof(name, odd), name: odd }))
const spoiled = (data: object): fc.Arbitrary<unknown> =>
  oddFields(['turn', 'step', 'usage', 'error', 'meta']).map((more) =>
    typeof more === 'object' && !Array.isArray(more) ? { ...data, ...more } : data,
  )
/** The one type whose data is inspected though it is no message: as odd as a reason may be. */
const oddEnd = fc
  .record({
    turn: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant(Number.MAX_SAFE_INTEGER)),
    reason: fc.oneof(
      fc.constantFrom({ kind: 'completed' }, { kind: 'interrupted' }),
      fc.record({ kind: name, more: odd }),
      fc.record({ kind: fc.constant('aborted'), reason: odd, more: odd }),
      fc.record({ kind: fc.constant('error'), error: odd, step: odd }),
    ),
  })
  .map((data) => ({ type: 'turn/end', data }))
const oddDraft: fc.Arbitrary<Draft> = fc.oneof(
  oddEnd,
  oddFields(['turn', 'reason']).map((data) => ({ type: 'turn/end', data })),
  fc
    .tuple(
      fc.constantFrom('turn/start', 'turn/start', 'step/start', 'step/end', 'request/context', 'todo/write'),
      fc.oneof(oddFields(['turn', 'step', 'reason']), fc.record({ turn: fc.nat(3), step: fc.nat(3) })),
    )
    .map(([type, data]) => ({ type, data })),
  fc.oneof(oddFields(['title']), fc.record({ title: piece })).map((data) => ({ type: 'session/title', data })),
  oddFields(['turn', 'step', 'chunk']).map((data) => ({ type: 'assistant/chunk', data })),
  fc
    .oneof(
      oddFields(['callId']),
      name.map((callId) => ({ callId })),
    )
    .map((data) => ({ type: 'tool/call', data })),
  fc.array(oddBlock, { maxLength: 4 }).chain((blocks) => {
    const draft = assistant(blocks)
    return spoiled(draft.data as object).map((data) => ({ ...draft, data }))
  }),
  name.chain((id) => {
    const draft = result(id)
    return spoiled(draft.data as object).map((data) => ({ ...draft, data }))
  }),
  oddFields(['system', 'tools']).map((header) => requestHeader(header as object)),
  odd.map((data) => ({ type: OWN_TYPE, data })),
  fc.constant(user('hello')),
)

/** Any log that `append` accepts, with nonsense wherever it accepts that. */
export const acceptedLog: fc.Arbitrary<SessionEvent[]> = fc.array(oddDraft, { maxLength: 20 }).map((drafts) => {
  const events: SessionEvent[] = []
  const surface = new Surface((seq) => events[seq]?.data)
  for (const { type, data, ...intent } of drafts) {
    const admitted = admitAppend({ type, data, intent }, events.length, T0, new Set([OWN_TYPE]))
    if ('reason' in admitted || surface.problem(admitted.event) !== undefined) continue
    surface.apply(admitted.event)
    events.push(admitted.event)
  }
  return events
})

/** Reads a file in pieces that end at the given places. */
export function read(
  file: Uint8Array,
  { cuts = [] as readonly number[], ownTypes = [] as readonly string[] } = {},
): LogIntake {
  const intake = new LogIntake(ownTypes)
  const places = [0, ...cuts.map((cut) => cut % (file.byteLength + 1)), file.byteLength].sort((a, b) => a - b)
  // One buffer for all pieces: whoever reads a stream may use its buffer again.
  const buffer = new Uint8Array(file.byteLength)
  for (const [k, place] of places.slice(1).entries()) {
    const piece = buffer.subarray(0, place - places[k]!)
    piece.set(file.subarray(places[k], place))
    intake.write(piece)
    piece.fill(0)
  }
  intake.end()
  return intake
}

/** The events that an intake has read. */
export const eventsOf = (intake: LogIntake): SessionEvent[] =>
  intake.takeSegments().flatMap(({ bytes }) => decodeLines(bytes))
