/** Session files with damage of every kind, by the million: each one is known by the seed and its number. */
import fc from 'fast-check'
import { packChunkRuns } from 'idb-sessions/log'
import { acceptedLog, fileOf, HEADER_LINE, realLog } from '../log/support.js'
import { openShapes, PlainLog, shapes } from './shapes.js'

/** Numbers from 0 up to `below`, the same ones for the same seed (mulberry32). */
type Random = (below: number) => number

function randomOf(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

type Mutation = (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array

/** Instead of what is between two places. */
function splice(bytes: Uint8Array, from: number, to: number, instead: Uint8Array): Uint8Array {
  const result = new Uint8Array(from + instead.length + bytes.length - to)
  result.set(bytes.subarray(0, from))
  result.set(instead, from)
  result.set(bytes.subarray(to), from + instead.length)
  return result
}

/** Two places in a file, not far from each other as a rule. */
function range(bytes: Uint8Array, random: Random): [number, number] {
  const from = random(bytes.length + 1)
  return [from, Math.min(bytes.length, from + random(random(4) === 0 ? bytes.length + 1 : 40))]
}

function inLines(change: (lines: string[], at: number, random: Random) => void): Mutation {
  return (bytes, random) => {
    const lines = decoder.decode(bytes).split('\n')
    change(lines, random(lines.length), random)
    return encoder.encode(lines.join('\n'))
  }
}

/** Values where none of this kind should be, as text. */
const ODD = (
  'null true -1 -0 0.5 1e999 9007199254740993 "" "x" "\\ud800" {} [] [null] {"__proto__":1} {"constructor":null} ' +
  '"turn/end" "text-chunks" "compaction/start" undefined NaN'
).split(' ')
ODD.push('['.repeat(600) + ']'.repeat(600), '['.repeat(3000), `"${'y'.repeat(5000)}"`, `[${'0,'.repeat(3000)}0]`)

const BYTES = ['\0', '\n', '\r\n', '}{', '\n\n', '\ufeff', ',', '"', '\\', '\u2028', '\n{}\n', '\nnull\n'].map((text) =>
  encoder.encode(text),
)

const MUTATIONS: Mutation[] = [
  (bytes, random) => {
    const flipped = bytes.slice()
    if (bytes.length > 0) flipped[random(bytes.length)]! ^= 1 << random(8)
    return flipped
  },
  (bytes, random) => bytes.slice(0, random(bytes.length + 1)),
  (bytes, random) => splice(bytes, ...range(bytes, random), new Uint8Array()),
  (bytes, random) => {
    const [from, to] = range(bytes, random)
    return splice(bytes, to, to, bytes.slice(from, to))
  },
  (bytes, random, other) => splice(bytes, ...range(bytes, random), other.slice(...range(other, random))),
  (bytes, random) => {
    const at = random(bytes.length + 1)
    return splice(bytes, at, at, BYTES[random(BYTES.length)]!)
  },
  (bytes, random) => {
    const noise = Uint8Array.from({ length: 1 + random(8) }, () => random(256))
    return splice(bytes, ...range(bytes, random), noise)
  },
  inLines((lines, at) => lines.splice(at, 1)),
  inLines((lines, at) => lines.splice(at, 0, lines[at]!)),
  inLines((lines, at, random) => lines.splice(random(lines.length), 0, ...lines.splice(at, 1))),
  inLines((lines, at, random) => {
    // Another value, or another key.
    const places = [...lines[at]!.matchAll(/"[^"]*":?|-?\d+|true|\[\]/g)]
    const place = places[random(Math.max(1, places.length))]
    if (place === undefined) return
    const [before, after] = [lines[at]!.slice(0, place.index), lines[at]!.slice(place.index + place[0].length)]
    lines[at] = `${before}${ODD[random(ODD.length)]!}${place[0].endsWith(':') ? ':' : ''}${after}`
  }),
  inLines((lines, at, random) => {
    // A number that is a little off.
    const places = [...lines[at]!.matchAll(/\d+/g)]
    const place = places[random(Math.max(1, places.length))]
    if (place === undefined) return
    const [before, after] = [lines[at]!.slice(0, place.index), lines[at]!.slice(place.index + place[0].length)]
    lines[at] = `${before}${Number(place[0]) + random(5) - 2}${after}`
  }),
]

export type Mutants = (index: number) => Uint8Array

/** The files of a seed, by number. */
export function mutantsOf(seed: number): Mutants {
  const written = Object.values({ ...shapes, ...openShapes }).map((shape) => {
    const log = new PlainLog()
    shapes.chat(log, 1)
    shape(log, 3)
    return log.events
  })
  const sampled = fc.sample(fc.oneof(realLog, acceptedLog), { seed, numRuns: 200 })
  const files = [...written, ...sampled].map((events) => fileOf(packChunkRuns(events)))
  files.push(encoder.encode(`${HEADER_LINE}\n`))
  return (index) => {
    const random = randomOf(seed + Math.imul(index, 0x9e3779b1))
    const pick = (): Uint8Array => files[random(files.length)]!
    let bytes = pick()
    for (let left = random(4); left >= 0; left--) bytes = MUTATIONS[random(MUTATIONS.length)]!(bytes, random, pick())
    return bytes
  }
}

export function linesOf(bytes: Uint8Array): number {
  return bytes.reduce((lines, byte) => (byte === 10 ? lines + 1 : lines), 1)
}

const env = import.meta.env as Record<string, string | undefined>

/** How many are tried: by the environment, else few enough for every test run. */
export function runsOf(name: string, otherwise: number): number {
  return Number(env[name] ?? otherwise)
}

/** The number of the only one to try, to repeat a failure: `FC_SEED=… FC_AT=…`. */
export const onlyAt = env['FC_AT'] === undefined ? undefined : Number(env['FC_AT'])
