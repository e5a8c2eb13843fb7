/** Random operations that `oracle.mjs` and `library.ts` know, most of them sound. */
import fc from 'fast-check'
import type { Operation } from './connect.mjs'
import { log, T0, type Draft as Event } from '../log/support.js'
import { assistant, call, chunk, delta, end, endSeed, requestHeader, result, start, stepEnd } from '../log/support.js'
import { stepStart, title, toolCall, toolDelta, turn, user } from '../log/support.js'

const few = { freq: 4, nil: undefined }
/** `a` and `b` are there from the beginning; the others may come, and all may go. */
const id = fc.constantFrom('a', 'a', 'a', 'a', 'b', 'b', 'b', 'c', 'd')
const newId = fc.constantFrom('c', 'd', 'e', 'f', 'g', 'h', 'a', '')
const n = fc.integer({ min: 1, max: 3 })
const callId = fc.constantFrom('x', 'y', '__proto__')
const text = fc.string({ unit: 'binary', maxLength: 4 })
const place = fc.record({ turn: n, step: n })
const odd = fc.oneof(
  fc.constantFrom(null, true, '', 'x', [], -1, 0.5, { $: '-0' }, { $: 'NaN' }, { $: 'undefined' }, { $: 'Date' }),
  fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('-0')),
)

/** Sources and a surfaceOp as they may be, and as they may not. */
const seq = fc.nat(14)
const sources = fc.option(
  fc.oneof(
    { weight: 6, arbitrary: fc.uniqueArray(seq, { maxLength: 6 }) },
    { weight: 1, arbitrary: fc.array(seq) },
    odd,
  ),
  few,
)
/** One in five lacks the last source. */
const replaced = fc.tuple(seq, fc.nat(3), fc.nat(4)).map(([start, length, lacking]) => ({
  sourceEventSeqs: Array.from({ length: length + (lacking === 0 ? 0 : 1) }, (_, i) => start + i),
  surfaceOp: { op: 'replace', start, end: start + length },
}))
const intent = fc.oneof(
  { weight: 8, arbitrary: fc.constant({ surfaceOp: 'append' }) },
  { weight: 3, arbitrary: replaced },
  {
    weight: 1,
    arbitrary: fc.record({ surfaceOp: fc.constant('append'), sourceEventSeqs: sources }, { requiredKeys: [] }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      surfaceOp: fc.oneof(odd, fc.record({ op: fc.constant('replace'), start: seq, end: seq })),
      sourceEventSeqs: sources,
    }),
  },
)
/** The same event with another intent: undefined stands for none. */
const withIntent = (event: Event, given: unknown): Event => {
  const { surfaceOp: _op, sourceEventSeqs: _sources, ...rest } = event
  return { ...rest, ...(given as object) }
}

const message = fc.oneof(
  text.map(user),
  fc.tuple(fc.array(callId, { maxLength: 3 }), place).map(([ids, at]) => assistant(ids.map(toolCall), at)),
  fc
    .tuple(callId, text, fc.option(odd, few))
    .map(([id, output, meta]) => result(id, output, meta === undefined ? {} : { meta })),
)
const spoiledMessage = fc
  .tuple(message, fc.constantFrom('id', 'role', 'content', 'source', 'message', 'turn'), fc.option(odd))
  .map(([event, key, value]) => ({ ...event, data: { ...(event.data as object), [key]: value } }))

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 5, arbitrary: n.map(start) },
  { weight: 5, arbitrary: n.map((turn) => end(turn)) },
  { weight: 2, arbitrary: place.map(({ turn, step }) => stepStart(turn, step)) },
  { weight: 2, arbitrary: place.map(({ turn, step }) => stepEnd(turn, step)) },
  {
    weight: 8,
    arbitrary: fc.tuple(message, fc.option(intent)).map(([event, given]) => (given ? withIntent(event, given) : event)),
  },
  { weight: 1, arbitrary: spoiledMessage },
  { weight: 3, arbitrary: callId.map(call) },
  {
    weight: 2,
    arbitrary: fc.oneof(
      text.map((text) => delta(text)),
      text.map((text) => toolDelta(text)),
      odd.map((data) => chunk(data as object)),
    ),
  },
  { weight: 1, arbitrary: text.map(title) },
  { weight: 1, arbitrary: fc.constant(endSeed) },
  { weight: 1, arbitrary: fc.record({ system: text, tools: fc.constantFrom([], [{ name: 't' }]) }).map(requestHeader) },
  { weight: 1, arbitrary: fc.record({ config: odd, adapterDefaults: odd }, { requiredKeys: [] }).map(requestHeader) },
  // An object: of other data DSH makes `{}`, this library gives it as it is.
  {
    weight: 1,
    arbitrary: fc
      .record({ provider: text, model: odd, contextWindow: odd }, { requiredKeys: [] })
      .map((data) => ({ type: 'request/context', data })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('todo/write', 'plan/mode', 'my/own', ''), odd)
      .map(([type, data]) => ({ type, data })),
  },
  { weight: 1, arbitrary: intent.map((given) => withIntent(start(1), given)) },
)

/** A log as it may be, and one that anything was done to. */
const whole = fc
  .array(
    fc.oneof(
      n.map((n) => turn(n)),
      fc.array(event, { maxLength: 4 }),
    ),
    { maxLength: 4 },
  )
  .map((parts) => log(...parts))
const spoiledLog = fc
  .tuple(whole, seq, fc.constantFrom('type', 'seq', 'time', 'data', 'ignorable', 'surfaceOp', 'extra'), odd)
  .map(([events, at, key, value]) =>
    events.map((event, i) => (i === at % events.length ? { ...event, [key]: value } : event)),
  )
const aSeed = fc.oneof({ weight: 5, arbitrary: whole }, { weight: 1, arbitrary: spoiledLog })

const cwd = fc.oneof(fc.constantFrom('/w', '/', 'w', ''), odd)
const count = fc.oneof(fc.nat(9), odd)
const meta = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ cwd: fc.constantFrom('/w', '/home/me'), agentPreset: text }, { requiredKeys: [] }),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        cwd,
        parentSession: fc.oneof(id, odd),
        seedLength: count,
        createdAt: count,
        delegationDepth: count,
        agentPreset: odd,
      },
      { requiredKeys: [] },
    ),
  },
)

const boundary = fc.option(fc.oneof({ weight: 8, arbitrary: fc.nat(16) }, odd), { freq: 2, nil: undefined })

const create = fc.record({
  do: fc.constant('create'),
  id: newId,
  seed: fc.option(aSeed, { nil: undefined }),
  meta: fc.option(meta, { nil: undefined }),
  strict: fc.constant(true),
})
const appendOf = (id: string, { type, data, ...intent }: Event): Operation => ({
  do: 'append',
  id,
  type,
  data,
  ...(Object.keys(intent).length > 0 && { intent }),
  strict: true,
})
const append = fc.tuple(id, event).map(([id, event]) => appendOf(id, event))
const appends = fc.array(append, { minLength: 1, maxLength: 5 })
/** To one session, so that it gets somewhere. */
const turns = fc
  .tuple(id, fc.array(event, { maxLength: 4 }), n)
  .map(([id, inside, n]) => [start(n), ...inside, user('u'), end(n)].map((event) => appendOf(id, event)))
/** A turn with calls, and what a restart makes of it. */
const crash = fc
  .tuple(
    id,
    n,
    fc.uniqueArray(callId),
    fc.array(
      fc.oneof(
        callId.map(call),
        callId.map((id) => result(id)),
      ),
      { maxLength: 4 },
    ),
  )
  .map(([id, n, ids, rest]) => [
    ...[start(n), stepStart(n, 1), assistant(ids.map(toolCall)), ...rest].map((event) => appendOf(id, event)),
    { do: 'reload', id },
  ])
const fork = fc.record({
  do: fc.constant('fork'),
  source: id,
  by: fc.constantFrom('id', 'id', 'id', 'object', 'object', 'stale'),
  boundary,
  child: newId,
})
const one = fc.record({ do: fc.constantFrom('read', 'reload', 'reload', 'reload', 'dispose'), id })
const none = fc.constantFrom({ do: 'list' }, { do: 'trace' })
const clock = fc.integer({ min: -5, max: 9000 }).map((by) => ({ do: 'clock', now: T0 + by }))

const operations: fc.Arbitrary<Operation[]> = fc.oneof(
  { weight: 2, arbitrary: create.map((one) => [one]) },
  { weight: 3, arbitrary: appends },
  { weight: 6, arbitrary: turns },
  { weight: 1, arbitrary: crash },
  { weight: 6, arbitrary: fork.map((one) => [one]) },
  { weight: 2, arbitrary: one.map((one) => [one]) },
  { weight: 1, arbitrary: fc.oneof(none, clock).map((one) => [one]) },
)

export const sequences: fc.Arbitrary<Operation[]> = fc
  .array(operations, { minLength: 1, maxLength: 20, size: 'max' })
  .map((parts) => [
    { do: 'create', id: 'a', meta: { cwd: '/w' } },
    { do: 'create', id: 'b', seed: [] },
    ...parts.flat(),
    ...['a', 'b', 'c'].map((id) => ({ do: 'read', id })),
    { do: 'list' },
    { do: 'trace' },
  ])
  // As they travel: what JSON drops, neither side sees.
  .map((operations) => JSON.parse(JSON.stringify(operations)) as Operation[])
