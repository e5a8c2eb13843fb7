/** What it has to measure up to: ratios within one run, since times are the machine's. */
import type { Measure } from './measure.js'

export interface Target {
  what: string
  /** `× faster` and the like are at least met, all others at most. Neither: nothing was promised. */
  least?: number
  most?: number
  unit: '×' | 'µs' | 'ms' | '%'
  /** How much it is depends on the disk: where that takes long to sync, everybody takes as long. */
  isOfDisk?: true
  /** Undefined where something is missing that it takes. */
  of: (find: Find) => number | undefined
}

/** What a work took somebody, at a size. */
export type Find = (work: string, by: string, size?: number) => number | undefined

export const LIBRARY = 'idb-sessions'
export const RAW = 'raw IndexedDB'
export const RAW_IN_WORKER = 'raw IndexedDB in a worker'
export const DEXIE = 'Dexie, row per event'

/** How many times as long the first takes as the second. */
function over(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b
}

/** Where `long` and `short` are the sizes at which a plan measures. */
export function targetsAt({ long, short, depth, log, sessions }: Sizes): Target[] {
  const fork = 'fork at the end'
  const live = 'fork of a live log, end'
  const opening = 'open and derive messages'
  const longest = 'open: longest main-thread task'
  const streaming = `stream 1000 chunks/s into ${long}`
  const n = (size: number): string => size.toLocaleString('en')
  return [
    {
      what: `fork of ${n(long)} events against ${n(short)}`,
      most: 1.5,
      unit: '×',
      of: (find) => over(find(fork, LIBRARY, long), find(fork, LIBRARY, short)),
    },
    {
      what: `fork at depth ${n(depth)} against 1`,
      most: 1.5,
      unit: '×',
      of: (find) => over(find('fork at a depth', LIBRARY, depth), find('fork at a depth', LIBRARY, 1)),
    },
    {
      what: `fork of ${n(long)} events, faster than Dexie's copy`,
      // 1,000 times at 100,000: a copy takes as much longer as it is longer.
      least: long / 100,
      unit: '×',
      isOfDisk: true,
      of: (find) => over(find(live, DEXIE, long), find(live, LIBRARY, long)),
    },
    ...[20, 200].flatMap((batch): Target[] => [
      {
        what: `durable append of ${batch}, faster than Dexie`,
        least: batch === 20 ? 3 : 10,
        unit: '×',
        isOfDisk: true,
        of: (find) =>
          over(find(`durable append of ${batch}`, DEXIE, log), find(`durable append of ${batch}`, LIBRARY, log)),
      },
      {
        what: `durable append of ${batch} against raw IndexedDB`,
        most: 1.3,
        unit: '×',
        of: (find) =>
          over(find(`durable append of ${batch}`, LIBRARY, log), find(`durable append of ${batch}`, RAW, log)),
      },
      {
        what: `the same against raw IndexedDB in a worker, ${batch}`,
        unit: '×',
        of: (find) =>
          over(
            find(`durable append of ${batch}`, LIBRARY, log),
            find(`durable append of ${batch}`, RAW_IN_WORKER, log),
          ),
      },
    ]),
    {
      what: `open ${n(long)} events, faster than Dexie`,
      least: 5,
      unit: '×',
      of: (find) => over(find(opening, DEXIE, long), find(opening, LIBRARY, long)),
    },
    {
      what: `fork ${n(long)} events not loaded, faster than Dexie`,
      least: 5,
      unit: '×',
      of: (find) =>
        over(
          find('fork of a log not loaded, and its messages', DEXIE, long),
          find('fork of a log not loaded, and its messages', LIBRARY, long),
        ),
    },
    {
      what: `longest task while ${n(long)} events open`,
      most: 50,
      unit: 'ms',
      of: (find) => find(longest, LIBRARY, long),
    },
    {
      what: `append of a chunk to ${n(long)} events`,
      most: 20,
      unit: 'µs',
      of: (find) => find('append of a chunk, per call', LIBRARY, long),
    },
    {
      what: 'main thread in append and a transcript that is shown, 1,000 chunks/s',
      most: 10,
      unit: '%',
      of: (find) => find(`${streaming}: main thread in calls`, LIBRARY),
    },
    {
      what: `longest task at 1,000 chunks/s`,
      most: 50,
      unit: 'ms',
      of: (find) => find(`${streaming}: longest main-thread task`, LIBRARY),
    },
    {
      what: `list ${n(sessions)} sessions against a raw getAll`,
      most: 1.5,
      unit: '×',
      of: (find) => over(find('list sessions', LIBRARY, sessions), find('list sessions', RAW, sessions)),
    },
    {
      what: 'the same against a raw getAll in a worker',
      unit: '×',
      of: (find) => over(find('list sessions', LIBRARY, sessions), find('list sessions', RAW_IN_WORKER, sessions)),
    },
    {
      what: 'stored bytes against JSON, streamed at 30/s',
      most: 40,
      unit: '%',
      of: (find) => find('stream 30 chunks/s into 1000: stored bytes / JSON', LIBRARY),
    },
    {
      what: 'stored bytes against JSON, streamed at 100/s',
      most: 40,
      unit: '%',
      of: (find) => find('stream 100 chunks/s into 1000: stored bytes / JSON', LIBRARY),
    },
  ]
}

export interface Sizes {
  long: number
  short: number
  depth: number
  /** Events in the log that batches are added to. */
  log: number
  sessions: number
}

export const longSizes: Sizes = { long: 100_000, short: 100, depth: 1000, log: 10_000, sessions: 1000 }

export const shortSizes: Sizes = { long: 20_000, short: 100, depth: 30, log: 1000, sessions: 200 }

export function isMet({ least, most }: Target, value: number): boolean {
  return value >= (least ?? -Infinity) && value <= (most ?? Infinity)
}

export function finder(measures: readonly Measure[], figure: 'median' | 'min' = 'median'): Find {
  return (work, by, size) => {
    return measures.find((m) => m.work === work && m.by === by && (size === undefined || m.size === size))?.[figure]
  }
}
