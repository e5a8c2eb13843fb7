/** What a page in trouble does, and its troubles, as plain data. */
import fc from 'fast-check'
import { SHAPES } from './operations.js'

/** At the so-many-th call the worker dies before, while or after it does it; at the so-many-th step storage fails, twice. */
export interface Trouble {
  kind: 'before' | 'during' | 'after' | 'full' | 'gives up' | 'closes'
  at: number
}

export type TroubledOp =
  | { op: 'trouble'; trouble: Trouble }
  | { op: 'create'; seed: number | undefined }
  | { op: 'fork' | 'import'; of: number }
  | { op: 'append'; at: number; shape: string; size: number; after: number }
  | { op: 'flush' | 'release' | 'load' | 'delete' | 'merge'; at: number }
  | { op: 'reload' }

const pick = fc.nat(20)
const calls = fc.record({ kind: fc.constantFrom('before', 'during', 'after'), at: fc.integer({ min: 1, max: 4 }) })
const steps = fc.record({ kind: fc.constantFrom('full', 'gives up', 'closes'), at: fc.integer({ min: 1, max: 12 }) })
const shape = fc.constantFrom(...Object.keys(SHAPES).filter((name) => name !== 'large'))

const op = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constant('trouble'), trouble: fc.oneof(calls, steps) }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('create'), seed: fc.option(fc.nat(3), { nil: undefined }) }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constantFrom('fork', 'fork', 'import'), of: pick }) },
  {
    weight: 6,
    arbitrary: fc.record({ op: fc.constant('append'), at: pick, shape, size: fc.nat(4), after: fc.nat(12) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      op: fc.constantFrom('flush', 'flush', 'release', 'load', 'load', 'delete', 'merge'),
      at: pick,
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('reload') }) },
) as fc.Arbitrary<TroubledOp>

export const troubledSequences = (maxLength: number): fc.Arbitrary<TroubledOp[]> =>
  fc.array(op, { minLength: 2, maxLength, size: 'max' }).map((operations) => [{ op: 'create', seed: 1 }, ...operations])
