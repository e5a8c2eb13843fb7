/**
 * Random session files: logs of today and of old versions, chunks in rows and not, events of types that nobody knows,
 * torn ends and damage (`spec` 7.2 to 7.4, 6.7).
 */
import fc from 'fast-check'
import type { SessionEvent } from 'idb-sessions'
import { packChunkRuns } from 'idb-sessions/log'
import { fileOf, log, realLog, turn, type Draft } from '../log/support.js'
import { event } from './drafts.js'
import { bentShape, odd, oldShape } from './old-shapes.js'

/** Replaces the last result before it. */
interface Replacement extends Draft {
  over?: 'the last result'
}

const today: fc.Arbitrary<Draft[]> = fc.oneof(
  { weight: 3, arbitrary: realLog.map((events) => events.map(({ seq: _seq, ...draft }): Draft => draft)) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }).map((n) => turn(n)) },
)
const old = fc.array(oldShape, { minLength: 1, maxLength: 3 })
/** A result and what replaces it, both old; only its content may be another. */
const replaced: fc.Arbitrary<Replacement[]> = oldShape
  .filter(({ type }) => type === 'tool/result')
  .map((draft) => [draft, { ...draft, data: { ...(draft.data as object), content: [] }, over: 'the last result' }])
/** Of a type from the future. */
const alien = fc.record({
  type: fc.constantFrom('alien/thing', 'my/own', 'mode'),
  data: odd,
  ignorable: fc.constant(true as const),
})
const refused: fc.Arbitrary<Draft> = fc.oneof(
  fc
    .tuple(alien, fc.constantFrom({ ignorable: undefined }, { ignorable: false }, { surfaceOp: 'append' }))
    .map(([draft, more]) => ({ ...draft, ...more }) as Draft),
  fc.constantFrom<Draft>(
    { type: 'mode/set', data: {} },
    { type: 'request/header-delta', data: {} },
    { type: 'request/header', data: { header: { config: { provider: 'p', model: 'm' } }, reason: 'fallback' } },
  ),
  event.filter((draft) => !JSON.stringify(draft).includes('"$"')),
)

const sound = fc.array(
  fc.oneof(
    today,
    old,
    replaced,
    alien.map((one) => [one]),
  ),
  { maxLength: 2 },
)
const drafts: fc.Arbitrary<Replacement[]> = fc
  .tuple(
    sound,
    fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: bentShape.filter((one) => !failsThere(one)).map((one) => [one]) },
      { weight: 1, arbitrary: refused.map((one) => [one]) },
    ),
    sound,
  )
  .map(([before, between, after]) => [...before.flat(), ...between, ...after.flat()])

/**
 * What DSH fails at when a crash left its turn open, since it makes closers of it that are none: a turn or a step without
 * a number, a call without data, null as a block of an answer. What `append` accepts can be loaded here, always.
 */
function failsThere({ type, data }: { type?: unknown; data?: unknown }): boolean {
  const { turn, step, content } = (data ?? {}) as { turn?: unknown; step?: unknown; content?: unknown }
  switch (type) {
    case 'turn/start':
      return !(Number.isSafeInteger(turn) && (turn as number) >= 1)
    case 'step/start':
      return typeof step !== 'number'
    case 'tool/call':
      return data === null
    case 'assistant/message':
      return Array.isArray(content) && content.includes(null)
    default:
      return false
  }
}

function numbered(drafts: readonly Replacement[]): SessionEvent[] {
  let last: number | undefined
  return log(
    drafts.map(({ over, ...draft }, seq) => {
      const target = last
      if (draft.type === 'tool/result') last = seq
      if (over === undefined || target === undefined) return draft
      return { ...draft, sourceEventSeqs: [target], surfaceOp: { op: 'replace', start: target, end: target } }
    }),
  )
}

/** Events as lines: each on its own, or in rows, written in two batches. */
const lines = fc.tuple(drafts, fc.constantFrom('packed', 'packed', 'plain'), fc.nat(60)).map(([drafts, how, at]) => {
  const events = numbered(drafts)
  const records = how === 'plain' ? events : [events.slice(0, at), events.slice(at)].flatMap(packChunkRuns)
  return records.map((record) => JSON.stringify(record))
})

const HEADERS = [
  {},
  {},
  { cwd: '/w', agentPreset: 'a' },
  { id: 'a/b é', parentSession: 'p', seedLength: 2, delegationDepth: 1, origin: 'subagent' },
].map((more) => JSON.stringify({ type: 'session', version: 0, id: 's', createdAt: 1, delegationDepth: 0, ...more }))

/** What happens to a line on the disk, or to what it says. */
const accident = fc.oneof(
  fc.constantFrom('lost' as const, 'twice' as const),
  // Not null, at which DSH fails: see the vectors.
  fc.constantFrom('', 'garbage', '[]', '5', '{"type":"turn/end"}', '{"type":"text-chunks"}').map((line) => ({ line })),
  fc.record({
    field: fc.constantFrom('type', 'seq', 'time', 'data', 'ignorable', 'seq0', 'time0', 'more'),
    value: odd,
  }),
  fc.record({ part: fc.constantFrom('turn', 'dt', 'texts', 'args', 'id', 'name', 'index', 'more'), value: odd }),
)
type Accident = typeof accident extends fc.Arbitrary<infer T> ? T : never

function damaged(lines: readonly string[], at: number, accident: Accident): string[] {
  const place = at % (lines.length + 1)
  const [before, line = '{}', after] = [lines.slice(0, place), lines[place], lines.slice(place + 1)]
  if (accident === 'lost') return [...before, ...after]
  if (accident === 'twice') return [...before, line, line, ...after]
  if ('line' in accident) return [...before, accident.line, line, ...after]
  const record = JSON.parse(line) as { data?: object }
  const changed =
    'field' in accident
      ? { ...record, [accident.field]: accident.value }
      : { ...record, data: { ...record.data, [accident.part]: accident.value } }
  return [...before, failsThere(changed) ? '{}' : JSON.stringify(changed), ...after]
}

export interface SessionFile {
  bytes: Buffer
  /** More may be wrong with it than one thing. */
  isDamaged: boolean
}

export const sessionFile: fc.Arbitrary<SessionFile> = fc
  .tuple(
    lines,
    fc.constantFrom(...HEADERS),
    fc.option(fc.tuple(fc.nat(99), accident), { freq: 2 }),
    fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(400) }),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom('x', '\n', '{"type":"turn/end"') },
    ),
  )
  .map(([lines, header, damage, cut, tail]) => {
    const file = Buffer.from(fileOf(damage === null ? lines : damaged(lines, ...damage), header))
    const least = file.indexOf(10) + 1
    const bytes = Buffer.concat([file.subarray(0, Math.max(least, file.length - cut)), Buffer.from(tail)])
    return { bytes, isDamaged: damage !== null }
  })
