/** What is measured, in which order, and at which sizes. */
import type { Extent } from './field.js'
import type { Works } from './page/main.js'

type Work = (extent: Extent, ...rest: never[]) => unknown
type Arguments<W> = W extends (extent: Extent, ...rest: infer Rest) => unknown ? Rest : never

/** A work and what it is called with, after the extent. */
export type Call = {
  [W in keyof Works]: Works[W] extends Work ? [work: W, ...rest: Arguments<Works[W]>] : never
}[keyof Works]

const LENGTHS = [100, 1000, 10_000, 100_000]

/** In the first engine, whose growth curves are drawn: a quarter of an hour, most of it for those that copy rows. */
export const longPlan: readonly Call[] = [
  ['idle', 1000],
  ...LENGTHS.map((length): Call => ['appendCall', length]),
  ...LENGTHS.map((length): Call => ['transcriptChunk', length]),
  ...LENGTHS.slice(0, 3).map((length): Call => ['durableAppend', 20, length]),
  ['durableAppend', 200, 10_000],
  ...LENGTHS.map((length): Call => ['open', length]),
  ['derive', 100_000],
  ['forkLong', LENGTHS],
  ['forkDeep', [1, 10, 100, 1000]],
  ...LENGTHS.map((length): Call => ['forkLive', length, 'end']),
  ['forkLive', 100_000, 'middle'],
  ['forkStored', 100_000, 'end'],
  ['forkStored', 100_000, 'middle'],
  ['nestedForks', 25],
  ...[10, 100, 1000].map((sessions): Call => ['list', sessions]),
  ...[10, 100, 1000].map((sessions): Call => ['amongSessions', sessions]),
  ...LENGTHS.slice(0, 3).map((length): Call => ['deleteParent', length, 10]),
  ['deleteParent', 1000, 50],
  ['stream', 30, 6, 50, 1000],
  ['stream', 100, 8, 100, 1000],
  ['stream', 1000, 10, 500, 1000],
  ['stream', 1000, 20, 500, 100_000],
  ['importLog', 100_000],
]

/** In the others: what the targets are about. */
export const targetPlan: readonly Call[] = [
  ['idle', 1000],
  ['appendCall', 100],
  ['appendCall', 100_000],
  ['transcriptChunk', 100_000],
  ['durableAppend', 20, 10_000],
  ['durableAppend', 200, 10_000],
  ['open', 100_000],
  ['forkLong', [100, 100_000]],
  ['forkDeep', [1, 1000]],
  ['forkLive', 100_000, 'end'],
  ['forkStored', 100_000, 'end'],
  ['list', 1000],
  ['stream', 30, 6, 50, 1000],
  ['stream', 100, 8, 100, 1000],
  ['stream', 1000, 20, 500, 100_000],
]

/** Within a minute, with every test run: sizes at which a gross loss shows already. */
export const shortPlan: readonly Call[] = [
  ['idle', 200],
  ['appendCall', 100],
  ['appendCall', 10_000],
  ['durableAppend', 20, 1000],
  ['durableAppend', 200, 1000],
  ['open', 10_000],
  ['forkLong', [100, 10_000]],
  ['forkDeep', [1, 30]],
  ['forkLive', 10_000, 'end'],
  ['list', 200],
  ['stream', 1000, 3, 500, 10_000],
]
