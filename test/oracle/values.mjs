/** What travels between this library and DSH: JSON, with a name for each value that it cannot spell, as `{ "$": "NaN" }`. */

/** When the clocks stand at the beginning. */
export const T0 = 1_700_000_000_000

/** @type {Record<string, () => unknown>} */
const makers = {
  '-0': () => -0,
  NaN: () => NaN,
  Infinity: () => Infinity,
  '-Infinity': () => -Infinity,
  undefined: () => undefined,
  bigint: () => 2n,
  symbol: () => Symbol('a'),
  function: () => () => 1,
  Date: () => new Date(0),
  Map: () => new Map(),
  Set: () => new Set(),
  RegExp: () => /a/,
  Error: () => new Error('a'),
  Promise: () => Promise.resolve(1),
  Uint8Array: () => new Uint8Array(2),
  ArrayBuffer: () => new ArrayBuffer(1),
  Math: () => Math,
  'boxed string': () => Object('a'),
  'boxed number': () => Object(1),
  'boxed boolean': () => Object(true),
  'class instance': () =>
    new (class {
      a = 1
    })(),
  'array subclass': () => new (class extends Array {})(1, 2),
  'null prototype': () => Object.assign(Object.create(null), { a: 1 }),
  'object as prototype': () => Object.create({}),
  'forged prototype': () => Object.assign(Object.create({ constructor: Object }), { a: 1 }),
  'sparse array': () => Object.assign([1], { 2: 3 }),
  'array with a name': () => Object.assign([1], { a: 1 }),
  'array with a symbol': () => Object.assign([1], { [Symbol('a')]: 1 }),
  'symbol key': () => ({ a: 1, [Symbol('a')]: 1 }),
  'hidden property': () => Object.defineProperty({ a: 1 }, 'b', { value: 1 }),
  getter: () => ({
    get a() {
      return 1
    },
  }),
  'counting getter': () => {
    let count = 0
    return {
      get a() {
        return ++count
      },
    }
  },
  'throwing getter': () => ({
    get a() {
      throw new RangeError('a')
    },
  }),
  'own toJSON': () => ({ a: 1, toJSON: () => 'a' }),
  'own __proto__': () => JSON.parse('{"__proto__":{"a":1},"b":2}'),
  frozen: () => Object.freeze({ a: Object.freeze([1]) }),
  'proxy of an object': () => new Proxy({ a: 1 }, {}),
  'proxy of an array': () => new Proxy([1], {}),
  arguments: () =>
    (function () {
      return arguments
    })(),
  cycle: () => {
    /** @type {Record<string, unknown>} */
    const value = {}
    value['a'] = value
    return value
  },
  'cycle through an array': () => {
    /** @type {unknown[]} */
    const value = []
    value.push([value])
    return value
  },
  'the same object twice': () => {
    const value = { a: 1 }
    return { a: value, b: value }
  },
  '500 levels': () => nested(500),
  '501 levels': () => nested(501),
  '20000 levels': () => nested(20_000),
}

export const names = Object.keys(makers)

/**
 * @param {unknown} value as it came from JSON
 * @returns {unknown}
 */
export function revive(value) {
  if (Array.isArray(value)) return value.map(revive)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value)
  const make = fields.length === 1 && fields[0]?.[0] === '$' ? makers[String(fields[0][1])] : undefined
  if (make !== undefined) return make()
  const revived = {}
  for (const [key, item] of fields) {
    // An assignment to __proto__ would not make a key.
    Object.defineProperty(revived, key, { value: revive(item), writable: true, enumerable: true, configurable: true })
  }
  return revived
}

/**
 * A result as it is compared. The sentences that tell the model of a crash are everybody's own.
 * @param {unknown} result
 */
export function masked(result) {
  const text = JSON.stringify(result)
  if (!text.includes(CLOSER)) return JSON.parse(text)
  return JSON.parse(text, (_key, value) =>
    String(value?.id).startsWith(CLOSER)
      ? { ...value, content: [{ ...value.content[0], content: ['(a sentence)'] }] }
      : value,
  )
}

const CLOSER = 'interrupted-tool-result-'

/**
 * JSON on one line. `readline` ends a line at these two separators as well.
 * @param {unknown} value
 */
export function lineOf(value) {
  return `${JSON.stringify(value)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`)}\n`
}

/** @param {number} levels */
function nested(levels) {
  /** @type {unknown[]} */
  let value = []
  for (let level = 1; level < levels; level++) value = [value]
  return value
}
