/** Random events and seeds for `sequences.ts`: most as they may be, some as they may not. */
import fc from 'fast-check'
import type { TurnEndReason } from 'idb-sessions'
import { assistant, call, chunk, delta, end, endSeed, log, requestHeader, result, start } from '../log/support.js'
import { stepEnd, stepStart, title, toolCall, toolDelta, turn, user, type Draft } from '../log/support.js'

export const text = fc.string({ unit: 'binary', maxLength: 4 })
export const n = fc.integer({ min: 1, max: 3 })
export const callId = fc.constantFrom('x', 'y', '__proto__')
const place = fc.record({ turn: n, step: n })
const failure = { message: 'm', code: 'C' }
const ended = fc.constantFrom<TurnEndReason>(
  { kind: 'completed' },
  { kind: 'completed' },
  { kind: 'blocked' },
  { kind: 'max-tokens' },
  { kind: 'interrupted' },
  { kind: 'aborted', reason: { kind: 'user' } },
  { kind: 'aborted', reason: { kind: 'hook', reason: 'r' } },
  { kind: 'error', error: failure },
)

/** Anything, also what is no JSON. */
export const odd = fc.oneof(
  fc.constantFrom(null, true, '', 'x', [], -1, 0.5, { $: '-0' }, { $: 'NaN' }, { $: 'undefined' }, { $: 'Date' }),
  fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('-0')),
)

/** A message, by default at the end of the surface. */
export const message: fc.Arbitrary<Draft> = fc.oneof(
  text.map(user),
  fc.tuple(fc.array(callId, { maxLength: 3 }), place).map(([ids, at]) => assistant(ids.map(toolCall), at)),
  fc
    .tuple(callId, text, fc.option(fc.jsonValue({ maxDepth: 1 }), { freq: 2, nil: undefined }))
    .filter(([, , meta]) => !JSON.stringify([meta]).includes('-0'))
    .map(([id, output, meta]) => result(id, output, meta === undefined ? {} : { meta })),
)

const sound: fc.Arbitrary<Draft> = fc
  .oneof(
    { weight: 3, arbitrary: n.map(start) },
    { weight: 5, arbitrary: fc.tuple(n, ended).map(([turn, reason]) => end(turn, reason)) },
    { weight: 2, arbitrary: place.map(({ turn, step }) => stepStart(turn, step)) },
    { weight: 2, arbitrary: place.map(({ turn, step }) => stepEnd(turn, step)) },
    { weight: 8, arbitrary: message },
    { weight: 3, arbitrary: callId.map(call) },
    {
      weight: 2,
      arbitrary: fc.oneof(
        text.map((text) => delta(text)),
        text.map((text) => toolDelta(text)),
      ),
    },
    { weight: 1, arbitrary: text.map(title) },
    { weight: 1, arbitrary: fc.constant(endSeed) },
    {
      weight: 1,
      arbitrary: fc.record({ system: text, tools: fc.constantFrom([], [{ name: 't' }]) }).map(requestHeader),
    },
    {
      weight: 1,
      arbitrary: fc
        .record({ provider: text, model: text, contextWindow: fc.nat() }, { requiredKeys: ['provider', 'model'] })
        .map((data) => ({ type: 'request/context', data })),
    },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }).map((note) => ({ type: 'todo/write', data: [note] })) },
  )
  .filter((draft) => !JSON.stringify(draft).includes('-0'))

const seq = fc.nat(14)
const surfaceOps = fc.oneof(
  fc.constant('append'),
  odd,
  fc.record({ op: fc.constant('replace'), start: seq, end: seq }),
  fc.record({ op: fc.constant('replace'), start: odd, end: seq, more: odd }, { requiredKeys: ['op'] }),
)
const sources = fc.oneof(fc.array(seq), fc.constant([]), odd)
/** Nothing, or something wrong most of the time: sources that are none, a surfaceOp where there may be none. */
const intent = fc.record({ surfaceOp: surfaceOps, sourceEventSeqs: sources }, { requiredKeys: [] })
const without = ({ type, data }: Draft): Draft => ({ type, data })

const spoiled: fc.Arbitrary<Draft> = fc.oneof(
  fc
    .tuple(message, fc.constantFrom('id', 'role', 'content', 'source', 'message', 'turn'), fc.option(odd))
    .map(([event, key, value]) => ({ ...event, data: { ...(event.data as object), [key]: value } })),
  fc.tuple(message, intent).map(([event, given]) => ({ ...without(event), ...given })),
  intent.map((given) => ({ ...start(1), ...given })),
  fc.tuple(odd, odd).map(([turn, reason]) => ({ type: 'turn/end', data: { turn, reason } })),
  odd.map((more) => ({ type: 'turn/end', data: { turn: 1, reason: { kind: 'completed', more } } })),
  odd.map((data) => chunk(data as object)),
  fc.record({ config: odd, adapterDefaults: odd }, { requiredKeys: [] }).map(requestHeader),
  // An object: of other data DSH makes `{}`, this library gives it as it is.
  fc
    .record({ provider: text, model: odd, contextWindow: odd }, { requiredKeys: [] })
    .map((data) => ({ type: 'request/context', data })),
  fc.tuple(fc.constantFrom('todo/write', 'plan/mode', 'my/own', ''), odd).map(([type, data]) => ({ type, data })),
)

export const event: fc.Arbitrary<Draft> = fc.oneof({ weight: 9, arbitrary: sound }, { weight: 1, arbitrary: spoiled })

const whole = fc
  .array(
    fc.oneof(
      n.map((n) => turn(n)),
      fc.array(sound, { maxLength: 4 }),
    ),
    { maxLength: 4 },
  )
  .map((parts) => log(...parts))
/** Of odd data in these, DSH makes closers that are none, and of a request's context `{}`. */
const LEFT_ALONE = ['turn/start', 'step/start', 'tool/call', 'request/context']
const spoiledLog = fc
  .tuple(
    whole,
    fc.array(event, { maxLength: 2 }),
    seq,
    fc.constantFrom('type', 'seq', 'time', 'data', 'ignorable', 'surfaceOp', 'extra'),
    odd,
  )
  .map(([events, more, at, key, value]) =>
    log(...events, ...more).map((event, i, { length }) =>
      i !== at % length || (key === 'data' && LEFT_ALONE.includes(event.type)) ? event : { ...event, [key]: value },
    ),
  )

/** A log as it may be, or one that something was done to. */
export const aSeed: fc.Arbitrary<readonly unknown[]> = fc.oneof(
  { weight: 5, arbitrary: whole },
  { weight: 1, arbitrary: spoiledLog },
)
