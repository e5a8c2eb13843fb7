/** Random events in the shapes that DSH once wrote (`spec` 6.8), as they were, or bent out of shape. */
import fc from 'fast-check'
import type { Draft } from '../log/support.js'
import { odd as anything, text } from './drafts.js'

type Fields = Record<string, unknown>

/** JSON: what a file can say. */
export const odd = anything.filter((value) => !JSON.stringify(value).includes('"$"'))

const turn = fc.integer({ min: 1, max: 3 })
const place = { turn, step: turn }
const content = fc.array(
  text.map((text) => ({ type: 'text', text })),
  { maxLength: 2 },
)
const isOptional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined })
const kinds = (...kinds: string[]): fc.Arbitrary<Fields> => fc.constantFrom(...kinds).map((kind) => ({ kind }))
const source = kinds('user', 'goal', 'plugin')

const failure = fc.record({
  message: text,
  code: text,
  status: isOptional(fc.nat(600)),
  providerRetryAfterMs: isOptional(fc.nat(9)),
  requestId: isOptional(text),
})
const step = fc.nat(2)
const reasons: fc.Arbitrary<Fields> = fc.oneof(
  kinds('completed', 'blocked', 'max-tokens', 'interrupted', 'aborted', 'disposed', 'unheard-of'),
  fc.record({ kind: fc.constant('aborted'), reason: kinds('user', 'hook') }),
  fc.record({ kind: fc.constant('error'), step, failure }),
  fc.record({ kind: fc.constant('error'), step, message: text, code: isOptional(text) }),
  fc.record({ kind: fc.constant('error'), error: failure }),
)

/** `data` of each type, and of what it holds. */
const shapes: fc.Arbitrary<{ type: string; data: Fields }> = fc.oneof(
  fc.record({
    type: fc.constant('turn/start'),
    data: fc.record({ turn, trigger: isOptional(kinds('message', 'goal')) }),
  }),
  fc.record({ type: fc.constant('turn/end'), data: fc.record({ turn, reason: reasons }) }),
  fc.record({ type: fc.constant('user/message'), data: fc.record({ content, source }) }),
  fc.record({
    type: fc.constant('steering/message'),
    data: fc.oneof(
      fc.record({ turn, content, source }),
      fc.record({ turn, message: fc.record({ content, source }) }),
      fc.record({
        turn,
        message: fc.record({ id: text, role: fc.constant('user'), content, source }),
      }),
    ),
  }),
  fc.record({
    type: fc.constant('assistant/message'),
    data: fc.record({
      ...place,
      content,
      provenance: fc.record({ provider: fc.constant('p'), model: fc.constant('m'), kind: isOptional(text) }),
      interrupted: isOptional(fc.constant(true)),
    }),
  }),
  fc.record({
    type: fc.constant('tool/result'),
    data: fc.record({
      ...place,
      callId: fc.constantFrom('x', 'y'),
      content,
      isError: fc.boolean(),
      meta: isOptional(odd),
    }),
  }),
)
const SURFACE = ['user/message', 'steering/message', 'assistant/message', 'tool/result']

/** What is undefined is not there. */
const asWritten = ({ type, data }: { type: string; data: unknown }): Draft => ({
  type,
  data: JSON.parse(JSON.stringify(data)) as unknown,
  ...(SURFACE.includes(type) && { surfaceOp: 'append' }),
})

export const oldShape: fc.Arbitrary<Draft> = shapes.map(asWritten)

/** One record of an event, its data or one in it, with a field too many, too few, of another kind, or in another order. */
export const bentShape: fc.Arbitrary<Draft> = fc
  .tuple(
    shapes.map(asWritten),
    fc.nat(3),
    fc.oneof(
      fc.constant('turned round' as const),
      fc.record({ drop: fc.nat(5) }),
      fc.record({ change: fc.nat(5), value: odd }),
      fc.record({ name: fc.constantFrom('more', 'id', 'role', 'message', 'reason', 'code', '__proto__'), value: odd }),
    ),
  )
  .map(([draft, where, bend]) => {
    const data = draft.data as Fields
    const inner = Object.keys(data).filter((key) => isFields(data[key]) && Object.keys(data[key] as Fields).length > 0)
    const key = where > 1 ? inner[where % Math.max(1, inner.length)] : undefined
    return {
      ...draft,
      data: key === undefined ? bent(data, bend) : { ...data, [key]: bent(data[key] as Fields, bend) },
    }
  })

type Bend = 'turned round' | { drop: number } | { change: number; value: unknown } | { name: string; value: unknown }

function bent(fields: Fields, bend: Bend): Fields {
  const entries = Object.entries(fields)
  if (bend === 'turned round') entries.reverse()
  else if ('drop' in bend) entries.splice(bend.drop % entries.length, 1)
  else if ('name' in bend) entries.push([bend.name, bend.value])
  else entries[bend.change % entries.length]![1] = bend.value
  return Object.fromEntries(entries)
}

function isFields(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
