/**
 * Lossless JSON (`spec` 1.3): what survives `JSON.parse(JSON.stringify(value))` unchanged, and nothing else.
 * One iterative walk reads every property exactly once and copies while it checks, so a stateful getter cannot show
 * the check one value and the log another, and depth is bounded by memory only.
 */

export interface CopyOptions {
  /** Freeze the copy and everything below it. Default false. */
  freeze?: boolean
  /** Levels of arrays and objects; default unlimited. */
  maxDepth?: number
  /** Size as JSON, in bytes, from which on the walk is given up; default unlimited. */
  maxBytes?: number
}

/** A copy, or the reason there is none. `weight` is an upper bound of its size as JSON, in bytes. */
export type CopyResult = { ok: true; value: unknown; weight: number } | { ok: false; reason: string }

interface Frame {
  source: Record<string, unknown> & unknown[]
  copy: Record<string, unknown> & unknown[]
  /** Own keys of an object; undefined for an array, which is read by index. */
  keys: string[] | undefined
  length: number
  next: number
}

export function copyJson(value: unknown, options: CopyOptions = {}): CopyResult {
  const { maxDepth = Infinity, maxBytes = Infinity } = options
  const stack: Frame[] = []
  const ancestors = new Set<object>()
  let weight = 0
  /** A lower bound, so that a small value which unfolds into a huge one is not copied first. */
  let least = 0
  let current = value
  let result: unknown
  const fail = (what: string): CopyResult => ({ ok: false, reason: what + at(stack) })

  for (;;) {
    // Step down into `current`, or take it as a leaf.
    const wrong = scalarProblem(current)
    if (wrong === undefined) {
      weight += typeof current === 'string' ? current.length * 6 + 3 : 26
      least += typeof current === 'string' ? current.length + 3 : 2
      if (least > maxBytes) return fail(`more than ${maxBytes} bytes`)
      result = current
    } else if (wrong !== 'object') {
      return fail(wrong)
    } else {
      const source = current as Frame['source']
      if (ancestors.has(source)) return fail('a cycle')
      if (stack.length >= maxDepth) return fail(`more than ${maxDepth} levels of nesting`)
      const frame = open(source)
      if (typeof frame === 'string') return fail(frame)
      ancestors.add(source)
      stack.push(frame)
      weight += 3
      least += 3
      result = undefined
    }
    // Step up until a frame has something left to read.
    let frame = stack.at(-1)
    if (wrong === undefined) {
      if (frame === undefined) return { ok: true, value: result, weight }
      put(frame, result)
    }
    while (frame !== undefined && frame.next === frame.length) {
      stack.pop()
      ancestors.delete(frame.source)
      const done = options.freeze ? Object.freeze(frame.copy) : frame.copy
      frame = stack.at(-1)
      if (frame === undefined) return { ok: true, value: done, weight }
      put(frame, done)
    }
    const key = frame!.keys?.[frame!.next]
    if (key !== undefined) weight += key.length * 6 + 4
    current = frame!.source[key ?? (frame!.next as never)]
  }
}

/** Whether `value` is lossless JSON. A getter that throws propagates its error. Source: `spec` 1.3. */
export function isJsonValue(value: unknown): boolean {
  return copyJson(value).ok
}

/** A detached copy with ordinary prototypes, or undefined when `value` is not lossless JSON. Source: `spec` 1.3. */
export function snapshotJsonValue<T>(value: T): T | undefined {
  const copy = copyJson(value)
  return copy.ok ? (copy.value as T) : undefined
}

/** Freezes a value of plain JSON and everything below it. */
export function freezeJson<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const item of Object.values(value)) freezeJson(item)
    Object.freeze(value)
  }
  return value
}

/** Deep equality of two JSON values; the order of keys does not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) && sameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  )
}

/** Undefined for a scalar that JSON holds, 'object' for what must be walked, else what is wrong with it. */
function scalarProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined
    case 'number':
      if (!Number.isFinite(value)) return String(value)
      return Object.is(value, -0) ? '-0' : undefined
    case 'object':
      return value === null ? undefined : 'object'
    default:
      return typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`
  }
}

/** Prepares the walk through one array or object, or says why it is not a plain one. */
function open(source: Frame['source']): Frame | string {
  if (Array.isArray(source)) {
    if (!isPlainArray(source)) return 'an instance of an Array subclass'
    const length = source.length
    // Own keys of a plain array are its indices and `length`. A hole reads as undefined, which is refused later.
    if (Reflect.ownKeys(source).length !== length + 1) return 'an array with holes or extra properties'
    return { source, copy: [] as never, keys: undefined, length, next: 0 }
  }
  if (!isPlainObject(source)) return 'an object that is not plain'
  const keys = Object.keys(source)
  if (Reflect.ownKeys(source).length !== keys.length) return 'an object with symbol or non-enumerable properties'
  return { source, copy: {} as never, keys, length: keys.length, next: 0 }
}

function put(frame: Frame, value: unknown): void {
  if (frame.keys === undefined) {
    frame.copy.push(value)
  } else {
    const key = frame.keys[frame.next]!
    if (key === '__proto__') {
      Object.defineProperty(frame.copy, key, { value, writable: true, enumerable: true, configurable: true })
    } else {
      frame.copy[key as never] = value
    }
  }
  frame.next++
}

function isPlainObject(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null
  return prototype === null || prototype === Object.prototype || isForeign(prototype, 'Object')
}

function isPlainArray(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype === Array.prototype) return true
  if (prototype === null || !isNative(prototype, 'Array')) return false
  const above = Object.getPrototypeOf(prototype) as object | null
  return above !== null && isForeign(above, 'Object')
}

/** The root prototype of another realm (an iframe, a Node vm). */
function isForeign(prototype: object, name: string): boolean {
  return Object.getPrototypeOf(prototype) === null && isNative(prototype, name)
}

/** The whole text, engines differ in white space only: a forged constructor may hold `[native code]` as a comment. */
const NATIVE = /^function (\w+)\(\) \{\s*\[native code\]\s*\}$/

function isNative(prototype: object, name: string): boolean {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, 'constructor')
  const constructor: unknown = descriptor?.value
  return (
    typeof constructor === 'function' &&
    constructor.name === name &&
    constructor.prototype === prototype &&
    NATIVE.exec(Function.prototype.toString.call(constructor))?.[1] === name
  )
}

/** Where the walk stands, as ` at .a[0].b`. */
function at(stack: readonly Frame[]): string {
  if (stack.length === 0) return ''
  const steps = stack.slice(0, 12).map((frame) => {
    const key = frame.keys?.[frame.next]
    return key === undefined ? `[${frame.next}]` : `.${key.slice(0, 40)}`
  })
  return ` at ${steps.join('')}${stack.length > 12 ? '…' : ''}`
}
