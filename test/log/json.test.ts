import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { isJsonValue, snapshotJsonValue } from 'idb-sessions/log'
import { describe, expect, it } from 'vitest'
import { copyJson, freezeJson, sameJson } from '../../lib/log/json.js'
import { nested } from './support.js'

const cycle = (): object => {
  const loop: Record<string, unknown> = {}
  loop['self'] = loop
  return loop
}
const twice = (value: object): object => [value, value]
class Point {
  x = 1
}
class List extends Array {}
/** A prototype whose constructor looks native at a glance. */
const forged = (): object => {
  function Object(): void {
    // [native code]
  }
  const prototype = globalThis.Object.create(null) as object
  globalThis.Object.defineProperty(prototype, 'constructor', { value: Object })
  Object.prototype = prototype
  return globalThis.Object.create(prototype) as object
}
/** Every container of a value. */
const containers = (value: unknown): object[] =>
  typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(containers)] : []

describe('lossless JSON', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['an empty string', ''],
    ['a lone surrogate', '\ud800'],
    ['the smallest number', 5e-324],
    ['a number past the safe integers', 2 ** 60],
    ['a frozen object', Object.freeze({ a: 1 })],
    ['an object without prototype', Object.assign(Object.create(null), { a: 1 })],
    ['an object of another realm', runInNewContext('({ a: [1] })')],
    ['a proxy of an array', new Proxy([1], {})],
    ['one object in two places', twice({ a: 1 })],
    ['100,000 levels of nesting', nested(100_000)],
  ])('is %s', (_name, value) => {
    expect(isJsonValue(value)).toBe(true)
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['a property that is undefined', { a: undefined }],
    ['an item that is undefined', [undefined]],
    ['-0', -0],
    ['-0 deep inside', { a: [{ b: -0 }] }],
    ['NaN', Number.NaN],
    ['Infinity', Infinity],
    ['a bigint', 1n],
    ['a symbol', Symbol('s')],
    ['a function', () => 1],
    ['an own toJSON', { toJSON: () => 1 }],
    ['a sparse array', Object.assign([1], { length: 2 })],
    ['a hole beside an extra property', Object.assign([], { length: 1, x: 1 })],
    ['an array with a named property', Object.assign([1], { extra: 1 })],
    ['an array with a symbol property', Object.assign([1], { [Symbol('s')]: 1 })],
    ['an instance of an Array subclass', List.from([1])],
    ['an array whose prototype is an object', Object.setPrototypeOf([1], Object.prototype)],
    ['a class instance', new Point()],
    ['an object that inherits from an empty one', Object.create({})],
    ['an object under a forged Object', forged()],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a RegExp', /x/],
    ['an Error', new Error('x')],
    ['a boxed string', Object('x')],
    ['a typed array', new Uint8Array(1)],
    ['a promise', Promise.resolve()],
    [
      'an arguments object',
      (function () {
        return arguments
      })(),
    ],
    ['Math', Math],
    ['globalThis', globalThis],
    ['a symbol key', { [Symbol('s')]: 1 }],
    ['a property that is not enumerable', Object.defineProperty({}, 'a', { value: 1 })],
    ['a cycle', cycle()],
  ])('is not %s', (_name, value) => {
    expect(isJsonValue(value)).toBe(false)
  })

  it('is whatever JSON.parse gives', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => isJsonValue(JSON.parse(JSON.stringify(value)))))
  })

  it('is no value that JSON.parse(JSON.stringify()) would change', () => {
    const values = fc.oneof(fc.anything({ withSparseArray: true, withDate: true, withMap: true }), fc.jsonValue())
    fc.assert(
      fc.property(values, (value) => {
        fc.pre(isJsonValue(value))
        expect(snapshotJsonValue(value)).toStrictEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

describe('a copy', () => {
  it('shares no object with its source', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const own = new Set(containers(value))
        expect(containers(snapshotJsonValue(value)).filter((container) => own.has(container))).toEqual([])
      }),
    )
  })

  it('holds an object twice that its source holds in two places', () => {
    const shared = { a: 1 }
    const [first, second] = snapshotJsonValue([shared, shared])!
    expect(first).not.toBe(second)
  })

  it('has ordinary prototypes', () => {
    const copy = snapshotJsonValue(Object.assign(Object.create(null), { a: 1 }) as object)
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  })

  it('keeps an own __proto__ as an own key', () => {
    const copy = snapshotJsonValue(JSON.parse('{"__proto__":{"a":1}}') as object)
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1}}')
  })

  it('keeps the order of keys', () => {
    expect(JSON.stringify(snapshotJsonValue({ b: 1, a: 2, 1: 3 }))).toBe('{"1":3,"b":1,"a":2}')
  })

  it('reads every property once', () => {
    let reads = 0
    const copy = snapshotJsonValue({
      get n() {
        return ++reads
      },
    })
    expect([copy, reads]).toEqual([{ n: 1 }, 1])
  })

  it('lets the error of a getter through', () => {
    const source = {
      get a(): never {
        throw new RangeError('mine')
      },
    }
    expect(() => snapshotJsonValue(source)).toThrow(RangeError)
  })

  it('is undefined when there can be none', () => {
    expect(snapshotJsonValue({ a: -0 })).toBeUndefined()
  })

  it('is frozen throughout when asked for', () => {
    const copy = copyJson({ a: [{ b: [] }] }, { freeze: true })
    expect(containers((copy as { value: unknown }).value).every(Object.isFrozen)).toBe(true)
  })

  it('leaves its source unfrozen', () => {
    const source = { a: [1] }
    copyJson(source, { freeze: true })
    expect(containers(source).some(Object.isFrozen)).toBe(false)
  })

  it.each([
    [3, true],
    [4, false],
  ])('of %i levels, where 3 are allowed: %s', (levels, ok) => {
    expect(copyJson(nested(levels), { maxDepth: 3 }).ok).toBe(ok)
  })

  it('has a weight of at least its bytes as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const copy = copyJson(value)
        fc.pre(copy.ok)
        expect(copy.weight).toBeGreaterThanOrEqual(new TextEncoder().encode(JSON.stringify(value)).byteLength)
      }),
    )
  })

  it('counts six bytes for a character of a key', () => {
    const value = { ['\u0001'.repeat(100)]: 0 }
    expect(copyJson(value)).toHaveProperty(
      'weight',
      expect.toSatisfy((weight: number) => weight >= JSON.stringify(value).length),
    )
  })

  it('that is refused says where', () => {
    expect(copyJson({ a: [{ b: -0 }] })).toEqual({ ok: false, reason: '-0 at .a[0].b' })
  })
})

describe('freezing', () => {
  it('reaches every level', () => {
    expect(containers(freezeJson({ a: [{ b: {} }] })).every(Object.isFrozen)).toBe(true)
  })
})

describe('equality', () => {
  it('does not look at the order of keys', () => {
    expect(sameJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true)
  })

  it.each<[string, unknown, unknown]>([
    ['an array and an object with its indices', ['a'], { 0: 'a' }],
    ['items in another order', [1, 2], [2, 1]],
    ['a missing key', { a: 1, b: 2 }, { a: 1 }],
    ['another key in its place', { a: 1 }, { b: 1 }],
    ['null and an object', null, {}],
    ['an own __proto__ and none', JSON.parse('{"__proto__":{}}'), { a: {} }],
  ])('tells apart %s', (_name, a, b) => {
    expect(sameJson(a, b)).toBe(false)
  })

  it('holds between a value and its copy', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => sameJson(value, JSON.parse(JSON.stringify(value)))))
  })
})
