/** `checkTurns` and the invariant companion of the published packages, side by side on random logs (`spec` 4). */
import fc from 'fast-check'
import type { SessionEvent } from 'idb-sessions'
import { checkTurns } from 'idb-sessions/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assistant, call, chunk, end, endSeed, log, replacing, requestHeader, result } from '../log/support.js'
import { start, stepEnd, stepStart, title, toolCall, user, type Draft } from '../log/support.js'
import { seed } from '../model/seed.js'
import { missing, Oracle } from './connect.mjs'

const LOGS = 2000
const reason = missing === undefined ? '' : ` (skipped, ${missing})`

let oracle: Oracle

beforeAll(() => {
  if (missing === undefined) oracle = new Oracle()
})
afterAll(() => oracle?.close())

/** Where a log stands, and what came last in it. */
interface Place {
  turn: number
  step: number
  isTurnOpen: boolean
  isStepOpen: boolean
  callId: string
  result: SessionEvent<'tool/result'> | undefined
}
type Kind = (place: Place, seq: number) => Draft

const between: Kind[] = [
  ({ turn }) => start(turn + 1),
  ({ turn }) => start(turn + 1),
  () => user('u'),
  () => title('t'),
  () => endSeed,
]
const inTurn: Kind[] = [
  ({ turn, step }) => stepStart(turn, step + 1),
  ({ turn, step }) => stepStart(turn, step + 1),
  ({ turn }) => end(turn),
  () => ({ type: 'todo/write', data: { todos: [] } }),
  () => requestHeader(),
  () => ({ type: 'request/context', data: { provider: 'p', model: 'm' } }),
  // Replaces the last result, if there is one.
  ({ result }) => (result === undefined ? user('u') : replacing({ ...result }, result.seq, result.seq, [result.seq])),
]
const inStep: Kind[] = [
  ({ turn, step }) => stepEnd(turn, step),
  (place) => chunk({ type: 'text-delta', index: 0, text: 'a' }, stepOf(place)),
  (place, seq) => assistant([toolCall(`c${seq}`)], stepOf(place)),
  (place, seq) => within(place, call(seq % 3 === 0 ? '__proto__' : `c${seq}`)),
  (place) => within(place, result(place.callId)),
  (place) => within(place, result(place.callId)),
  (place) => within(place, failed(place.callId, 'TOOL_NOT_STARTED')),
  (place) => within(place, result(place.callId, 'done', { error: { name: 'E', code: 'TOOL_NOT_STARTED' } })),
  (place) => within(place, failed(place.callId, 'TOOL_OUTCOME_UNKNOWN')),
]
const kinds = [...between, ...inTurn, ...inStep]

const stepOf = ({ turn, step }: Place): { turn: number; step: number } => ({ turn, step })
const within = (place: Place, draft: Draft): Draft => withData(draft, stepOf(place))

function failed(callId: string, code: string): Draft {
  const draft = result(callId, 'failed', { error: { name: 'E', code } })
  const { message } = draft.data as { message: { content: object[] } }
  return withData(draft, { message: { ...message, content: [{ ...message.content[0], isError: true }] } })
}

function withData(draft: Draft, more: object): Draft {
  return { ...draft, data: { ...(draft.data as object), ...more } }
}

/** Some are of any kind, or say something else of their turn, step or call. */
const slip = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant('any kind' as const) },
  {
    weight: 1,
    // Not null: that is a matter of its own, see below.
    arbitrary: fc
      .tuple(fc.constantFrom('turn', 'step', 'callId'), fc.constantFrom(0, 1, 2, 3, 4, '1', true, undefined))
      .map(([field, value]) => ({ [field]: value })),
  },
)
const moves = fc.array(fc.tuple(fc.nat(83), slip), { minLength: 1, maxLength: 60, size: 'max' })

const name = `what the package refuses is what checkTurns reports: ${LOGS} random logs`
test.skipIf(missing !== undefined)(`${name}${reason}`, { timeout: 120_000 }, async () => {
  let taken = 0
  const refused = new Map<string, number>()
  const property = fc.asyncProperty(moves, async (moves) => {
    const kept: SessionEvent[] = []
    let broken: SessionEvent[] | undefined
    const events: SessionEvent[] = []
    const isTaken = moves.map(([n, slip]) => {
      const event = eventAfter(kept, n, slip)
      events.push(event)
      const violations = checkTurns([...kept, event])
      for (const { rule } of violations) {
        const unnumbered = rule.replace(/, \d+$/, '')
        refused.set(unnumbered, (refused.get(unnumbered) ?? 0) + 1)
      }
      if (violations.length > 0) broken = [...kept, event]
      else kept.push(event)
      return violations.length === 0
    })
    taken += kept.length
    const seeds = broken === undefined ? [kept] : [kept, broken]
    const [answer] = await oracle.ask([{ do: 'relations', events, seeds }])
    const seeded = seeds.map((seed) => checkTurns(seed).length === 0)
    expect([events, answer]).toEqual([events, { value: { appended: isTaken, seeded } }])
  })
  await fc.assert(property, { seed, numRuns: LOGS })
  console.info(`relations: seed ${seed}, ${taken} taken, refused ${JSON.stringify(Object.fromEntries(refused))}`)
  // Every rule but that of seq, which append itself sees to; and most events break none.
  expect(refused.size).toBe(17)
  expect(taken).toBeGreaterThan([...refused.values()].reduce((sum, count) => sum + count, 0))
})

/** The event that a move makes of a log that keeps every relation. */
function eventAfter(kept: readonly SessionEvent[], n: number, slip: object | 'any kind'): SessionEvent {
  const place = placeAfter(kept)
  const open = place.isStepOpen ? inStep : place.isTurnOpen ? inTurn : between
  const choice = slip === 'any kind' ? kinds : open
  const draft = choice[n % choice.length]!(place, kept.length)
  const { surfaceOp } = draft
  // A replacement says the same as what it replaces, or it is no event.
  const slipped = slip === 'any kind' || typeof surfaceOp === 'object' ? draft : withData(draft, slip)
  const { type, data, sourceEventSeqs } = JSON.parse(JSON.stringify(slipped)) as Draft
  const [event] = log({ type, data, ...(sourceEventSeqs !== undefined && { sourceEventSeqs }), surfaceOp })
  return { ...event!, seq: kept.length }
}

function placeAfter(kept: readonly SessionEvent[]): Place {
  const place: Place = { turn: 0, step: 0, isTurnOpen: false, isStepOpen: false, callId: 'none', result: undefined }
  for (const event of kept) {
    switch (event.type) {
      case 'turn/start':
        Object.assign(place, { turn: event.data.turn, step: 0, isTurnOpen: true })
        break
      case 'turn/end':
        place.isTurnOpen = false
        break
      case 'step/start':
        Object.assign(place, { step: event.data.step, isStepOpen: true })
        break
      case 'step/end':
        place.isStepOpen = false
        break
      case 'tool/call':
        // A call may have slipped, but a result has to name a string.
        if (typeof event.data.callId === 'string') place.callId = event.data.callId
        break
      case 'tool/result':
        place.result = event
        break
    }
  }
  return place
}

/**
 * The package marks by null that no turn or step is open, so that an event which says null names it. Here it names
 * nothing: `spec` 4 asks for the number of the open one.
 */
describe.skipIf(missing !== undefined)(`null names no turn and no step here${reason}`, () => {
  test.each<[string, Draft[]]>([
    ['an end of turn null', [end(null as unknown as number)]],
    ['a chunk of turn and step null', [chunk({}, { turn: null, step: null })]],
    ['an end of step null', [start(1), stepEnd(1, null as unknown as number)]],
  ])('%s', async (_name, drafts) => {
    const events = log(drafts)
    const [answer] = await oracle.ask([{ do: 'relations', events, seeds: [] }])
    expect(answer).toEqual({ value: { appended: drafts.map(() => true), seeded: [] } })
    expect(checkTurns(events).map(({ seq }) => seq)).toEqual([drafts.length - 1])
  })
})
