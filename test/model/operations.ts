/** Operations on a store as plain data, so that a failing run prints and shrinks. */
import fc from 'fast-check'
import type { SessionEvent, SessionId } from 'idb-sessions'
import type { Fault } from '../support/faults.js'
import { openShapes, PlainLog, shapes, streamChunks, type LogWriter, type Shape } from '../support/shapes.js'

export const OWN_TYPES = ['test/note']

const ownShapes = {
  note(log, size) {
    appendNote(log, { note: 'n'.repeat(size), nested: [{ a: null }] })
  },
  /** An event too large to share a segment. */
  large(log, size) {
    appendNote(log, { note: 'x'.repeat(20_000 * size) })
  },
  tokens: streamChunks,
} satisfies Record<string, Shape>

/** The types know nothing of it, so that other tests do not either. */
function appendNote(log: LogWriter, data: object): void {
  ;(log as unknown as { append(type: string, data: object): void }).append('test/note', data)
}

export const SHAPES: Record<string, Shape> = { ...shapes, ...openShapes, ...ownShapes }
const COMMON = [
  'chat',
  'chat',
  'packedChunks',
  'prunedResult',
  'compaction',
  'title',
  'note',
  'blocked',
  'tokens',
  'title',
]
const SHAPE_NAMES = [...Object.keys(SHAPES).filter((name) => name !== 'large'), ...COMMON, ...COMMON]

/** More than one transaction writes, and more than one read reads: nearly 3 MB. */
export function largeLog(): SessionEvent[] {
  const log = new PlainLog()
  shapes.title(log, 1)
  for (let turn = 0; turn < 28; turn++) {
    shapes.chat(log, 2)
    log.append('todo/write', { todos: [{ content: `${turn} `.repeat(33_000), status: 'pending' }] })
  }
  return log.events
}

/** Numbers that pick a session do so modulo how many there are. */
export type Pick = number
export type Boundary =
  | { before: number }
  | { end: number }
  | { seq: number }
  | { chunk: number }
  | { bad: unknown }
  | 'default'

export type Op =
  | {
      op: 'create'
      id?: SessionId
      cwd?: string
      seed?: { of: Pick; length: number; back: number } | 'empty' | 'large'
    }
  | { op: 'append'; at: Pick; shapes: string[]; size: number }
  | { op: 'refused append'; at: Pick; how: number }
  | { op: 'fork'; of: Pick; by: 'object' | 'id' | 'stale'; boundary: Boundary; id?: SessionId; meanwhile: boolean }
  | { op: 'burst'; of: Pick; forks: number; deleted: boolean }
  | { op: 'chain'; of: Pick; generations: number; keep: boolean }
  | { op: 'long'; at: Pick; turns: number }
  | { op: 'title'; at: Pick; title: string }
  | { op: 'flush' | 'release' | 'load' | 'merge'; at: Pick }
  | { op: 'delete'; at: Pick[]; missing: boolean }
  | { op: 'import'; of: Pick; id?: SessionId; as: 'string' | 'blob' | 'stream'; instead: boolean }
  | { op: 'crash' | 'restart'; busy: { at: Pick; shape: string; size: number; after: number }[] }
  | { op: 'reload' | 'check' }
  | { op: 'fault'; fault: Fault; at: number }

export type Busy = Extract<Op, { busy: unknown }>['busy']

const pick = fc.nat(60)
/** Few enough to be taken now and then. */
const id = fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'é/😀', ''), { nil: undefined, freq: 3 })
const boundary: fc.Arbitrary<Boundary> = fc.oneof(
  { weight: 3, arbitrary: fc.constant('default' as const) },
  { weight: 4, arbitrary: fc.record({ end: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ seq: fc.nat(200) }) },
  { weight: 2, arbitrary: fc.record({ before: fc.nat(200) }) },
  { weight: 2, arbitrary: fc.record({ chunk: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ bad: fc.constantFrom(-1, 1.5, NaN, 1e9, '2', null, 2 ** 60) }) },
)
const shape = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(...SHAPE_NAMES) },
  { weight: 1, arbitrary: fc.constant('large') },
)

const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('create' as const),
      id,
      cwd: fc.option(fc.constantFrom('/home/me', 'C:\\me'), { nil: undefined }),
      seed: fc.oneof(
        { weight: 3, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constant('empty' as const) },
        { weight: 2, arbitrary: fc.record({ of: pick, length: fc.nat(100), back: fc.nat(3) }) },
      ),
    }) as fc.Arbitrary<Op>,
  },
  {
    weight: 10,
    arbitrary: fc.record({
      op: fc.constant('append' as const),
      at: pick,
      // In one breath, so that they are stored as one segment.
      shapes: fc.array(shape, { minLength: 1, maxLength: 3 }),
      size: fc.nat(6),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('refused append' as const), at: pick, how: fc.nat(20) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      op: fc.constant('fork' as const),
      of: pick,
      by: fc.constantFrom('object' as const, 'object' as const, 'id' as const, 'id' as const, 'stale' as const),
      boundary,
      id,
      meanwhile: fc.boolean(),
    }) as fc.Arbitrary<Op>,
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('burst' as const),
      of: pick,
      forks: fc.integer({ min: 1, max: 4 }),
      deleted: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('chain' as const),
      of: pick,
      generations: fc.oneof(fc.nat(4), fc.integer({ min: 17, max: 36 })),
      keep: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('long' as const), at: pick, turns: fc.oneof(fc.nat(5), fc.nat(90)) }),
  },
  {
    weight: 7,
    arbitrary: fc.record({ op: fc.constantFrom('flush' as const, 'release' as const, 'load' as const), at: pick }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('title' as const), at: pick, title: fc.constantFrom('', 't', 'mine') }),
  },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('merge' as const), at: pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('delete' as const),
      at: fc.array(pick, { maxLength: 3 }),
      missing: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('import' as const),
      of: pick,
      id,
      as: fc.constantFrom('string' as const, 'blob' as const, 'stream' as const),
      instead: fc.boolean(),
    }) as fc.Arbitrary<Op>,
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constantFrom('crash' as const, 'restart' as const),
      busy: fc.array(fc.record({ at: pick, shape, size: fc.nat(6), after: fc.nat(6) }), { maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constantFrom('reload' as const, 'check' as const) }) },
)

/** What a browser does that nobody may notice, at the so-many-th step from there on. */
const fault: fc.Arbitrary<Op> = fc.record({
  op: fc.constant('fault' as const),
  fault: fc.constantFrom('aborts' as const, 'closes' as const, 'lands unheard' as const),
  at: fc.integer({ min: 1, max: 20 }),
})

export const faultySequences = (maxLength: number): fc.Arbitrary<Op[]> =>
  fc.array(fc.oneof({ weight: 4, arbitrary: op }, { weight: 1, arbitrary: fault }), {
    minLength: 1,
    maxLength,
    size: 'max',
  })

/** @param maxLength of a sequence; most are about half as long */
export const sequences = (maxLength: number): fc.Arbitrary<Op[]> =>
  fc.array(op, { minLength: 1, maxLength, size: 'max' })
