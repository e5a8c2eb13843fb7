/** Random sequences of steps that `oracle.mjs` and `library.ts` both take, most of them sound. */
import fc from 'fast-check'
import { assistant, call, end, result, start, stepStart, toolCall, user, type Draft } from '../log/support.js'
import { aSeed, callId, event, message, n, odd, text } from './drafts.js'
import type { Cut, NewId, Plan, Target } from './plans.js'
import { T0 } from './values.mjs'

const number = fc.nat(60)
const live: fc.Arbitrary<Target> = number.map((live) => ({ live }))
const target: fc.Arbitrary<Target> = fc.oneof(
  { weight: 18, arbitrary: live },
  { weight: 1, arbitrary: number.map((gone) => ({ gone })) },
)
const newId: fc.Arbitrary<NewId> = fc.oneof(
  { weight: 12, arbitrary: fc.nat(3).map((fresh) => ({ fresh })) },
  { weight: 1, arbitrary: number.map((taken) => ({ taken })) },
  { weight: 1, arbitrary: fc.constantFrom('a', '').map((name) => ({ name })) },
)

const over = fc.record({ node: number, more: fc.nat(3), lacking: fc.nat(6).map((one) => one === 0) })
const appendTo = (to: Target, event: Draft): Plan => ({ do: 'append', to, event })
const append: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(target, event).map(([to, event]) => appendTo(to, event)) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      to: live,
      event: fc.oneof(message, text.map(user)),
      over,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      to: live,
      event: message,
      citing: fc.array(number, { minLength: 1, maxLength: 5 }),
    }),
  },
)
/** To one session, so that it gets somewhere. */
const turns = fc
  .tuple(live, fc.array(event, { maxLength: 4 }), n)
  .map(([to, inside, n]) => [start(n), ...inside, user('u'), end(n)].map((event) => appendTo(to, event)))
/** A turn with calls, and what a restart makes of it. */
const crash = fc
  .tuple(
    live,
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
  .map(([of, n, ids, rest]): Plan[] => [
    ...[start(n), stepStart(n, 1), assistant(ids.map(toolCall)), ...rest].map((event) => appendTo(of, event)),
    { do: 'reload', of },
  ])
/** Results that are replaced by shorter ones, as a compaction does. */
const prune = fc
  .tuple(live, callId, number, text)
  .map(([of, id, node, output]): Plan[] => [appendTo(of, result(id)), { do: 'prune', of, node, output }])

const cut: fc.Arbitrary<Cut> = fc.oneof(
  { weight: 5, arbitrary: number.map((end) => ({ end })) },
  { weight: 3, arbitrary: fc.constant('default' as const) },
  { weight: 3, arbitrary: number.map((seq) => ({ seq })) },
  { weight: 1, arbitrary: fc.oneof(odd, fc.nat(90)).map((given) => ({ given })) },
)
const fork = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('fork' as const),
      of: target,
      by: fc.constantFrom('id' as const, 'object' as const),
      at: cut,
      child: newId,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('fork' as const),
      of: fc.oneof(target, fc.constant({ name: 'nobody' })),
      by: fc.constantFrom('id' as const, 'former' as const, 'stale' as const),
      at: cut,
      child: newId,
    }),
  },
)

const meta = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ cwd: fc.constantFrom('/w', '/home/me'), agentPreset: text }, { requiredKeys: [] }),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        cwd: fc.oneof(fc.constantFrom('/w', '/', 'w', ''), odd),
        parentSession: fc.oneof(fc.constant('a'), odd),
        seedLength: fc.oneof(fc.nat(9), odd),
        createdAt: fc.oneof(fc.nat(9), odd),
        origin: fc.oneof(fc.constant('subagent'), odd),
        delegationDepth: fc.oneof(fc.nat(9), odd),
        agentPreset: odd,
      },
      { requiredKeys: [] },
    ),
  },
)
const create: fc.Arbitrary<Plan> = fc.record({
  do: fc.constant('create' as const),
  id: newId,
  seed: fc.option(aSeed, { nil: undefined }),
  meta: fc.option(meta, { nil: undefined }),
})
const reload: fc.Arbitrary<Plan> = live.map((of) => ({ do: 'reload', of }))
const dispose: fc.Arbitrary<Plan> = live.map((of) => ({ do: 'dispose', of }))
const clock: fc.Arbitrary<Plan> = fc.integer({ min: -5, max: 9000 }).map((by) => ({ do: 'clock', now: T0 + by }))

const steps: fc.Arbitrary<Plan[]> = fc.oneof(
  { weight: 3, arbitrary: create.map((one) => [one]) },
  { weight: 3, arbitrary: fc.array(append, { minLength: 1, maxLength: 5 }) },
  { weight: 6, arbitrary: turns },
  { weight: 1, arbitrary: crash },
  { weight: 1, arbitrary: prune },
  { weight: 6, arbitrary: fork.map((one) => [one]) },
  { weight: 2, arbitrary: reload.map((one) => [one]) },
  { weight: 1, arbitrary: fc.oneof(dispose, clock).map((one) => [one]) },
)

export const sequences: fc.Arbitrary<Plan[]> = fc
  .array(steps, { minLength: 1, maxLength: 20, size: 'max' })
  .map((parts) => [
    { do: 'create', id: { name: 'a' }, meta: { cwd: '/w' } },
    { do: 'create', id: { name: 'b' }, seed: [] },
    ...parts.flat(),
  ])
