/** What two tabs may do, as plain data, so that a failing run prints and shrinks. */
import fc from 'fast-check'
import { openShapes, shapes, streamChunks, type Shape } from '../support/shapes.js'

/** Names the shape of what is appended. */
export type Act = string
/** Numbers that pick something do so modulo how many there are. */
export type Pick = number

export const SHAPES: Record<Act, Shape> = { ...shapes, ...openShapes, tokens: streamChunks }

export interface Op {
  op:
    | 'create'
    | 'append'
    | 'flush'
    | 'release'
    | 'take over'
    | 'race'
    | 'rob'
    | 'save'
    | 'fork'
    | 'follow'
    | 'title'
    | 'delete'
    | 'be refused'
    | 'crash'
    | 'check'
  /** The tab that does it, where it is not whichever has the session. */
  tab: number
  at: Pick
  acts?: Act[]
  size?: number
  wait?: number
}

const acts = fc.array(fc.constantFrom(...Object.keys(SHAPES), 'chat', 'tokens', 'blocked'), {
  minLength: 1,
  maxLength: 3,
})
const size = fc.nat(5)

/** @param weight of how often it comes; those that wait for something take their time */
const one = (weight: number, op: Op['op'], more: Partial<Record<keyof Op, fc.Arbitrary<unknown>>> = {}) => ({
  weight,
  arbitrary: fc.record({ op: fc.constant(op), tab: fc.nat(1), at: fc.nat(60), ...more }) as fc.Arbitrary<Op>,
})

const operation = fc.oneof(
  one(6, 'create', { acts, size }),
  one(30, 'append', { acts, size }),
  one(6, 'flush'),
  one(6, 'release'),
  one(20, 'take over'),
  one(8, 'race', { acts, size }),
  one(10, 'rob', { acts, size, wait: fc.nat(6) }),
  one(10, 'save'),
  one(8, 'fork', { size: fc.nat(30) }),
  one(8, 'follow'),
  one(3, 'title', { size }),
  one(4, 'delete'),
  one(1, 'be refused', { size }),
  one(3, 'crash'),
  one(3, 'check'),
)

export const sequences: fc.Arbitrary<Op[]> = fc.array(operation, { minLength: 1, maxLength: 30, size: 'max' })
