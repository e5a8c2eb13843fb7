/** What it has to measure up to, within one run. */
import { streams } from './stream-targets.js'
import { DEXIE, IDLE, LIBRARY, LONGEST_TASK, n, RAW, RAW_IN_WORKER, worst, type Figure, type Target } from './target.js'

/** At which sizes a plan measures. */
export interface Sizes {
  long: number
  short: number
  depth: number
  /** Events in the log that batches are added to. */
  log: number
  sessions: number
}

export const longSizes: Sizes = { long: 100_000, short: 100, depth: 1000, log: 10_000, sessions: 1000 }

export const shortSizes: Sizes = { long: 10_000, short: 100, depth: 30, log: 1000, sessions: 200 }

export function targetsAt(sizes: Sizes): Target[] {
  return [
    ...forks(sizes),
    ...appends(sizes),
    ...openings(sizes),
    ...streams(sizes.long),
    ...lists(sizes),
    ...packages(),
  ]
}

/** How many times as long the first takes as the second. */
function over(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b
}

/** How many times as long `slow` takes for a work as `fast`. */
function between(work: string, slow: string, fast: string, size?: number): Target['of'] {
  return (find) => over(find(work, slow, size), find(work, fast, size))
}

/** How this library's cost of a work grows from one size to another. */
function growth(work: string, from: number, to: number, figure?: Figure): Target['of'] {
  return (find) => over(find(work, LIBRARY, to, figure), find(work, LIBRARY, from, figure))
}

function forks({ long, short, depth }: Sizes): Target[] {
  const live = 'fork of a live log, end'
  const end = 'fork at the end'
  const deep = 'fork at a depth'
  const stored = 'fork of a log not loaded, and its messages'
  const unit = '×'
  return [
    {
      id: 'fork-length',
      what: `fork of ${n(long)} events against ${n(short)}`,
      most: 1.5,
      unit,
      noise: 1.5,
      of: growth(end, short, long, 'mean'),
    },
    {
      id: 'fork-depth',
      what: `fork at depth ${n(depth)} against 1`,
      most: 1.5,
      unit,
      noise: 1.5,
      of: growth(deep, 1, depth, 'mean'),
    },
    {
      id: 'fork-dexie',
      what: `fork of ${n(long)} events, faster than Dexie's copy`,
      // 1,000 times at 100,000: a copy takes as much longer as it is longer.
      least: long / 100,
      unit,
      noise: long / 500,
      of: between(live, DEXIE, LIBRARY, long),
    },
    {
      id: 'fork-raw',
      what: `fork of ${n(long)} events against raw IndexedDB`,
      unit,
      noise: 3,
      of: between(live, LIBRARY, RAW, long),
    },
    {
      id: 'fork-bytes',
      what: `bytes that a fork of ${n(long)} events adds`,
      most: 1024,
      unit: 'B',
      noise: 0,
      of: (find) => find(`${end}: bytes added`, LIBRARY, long),
    },
    {
      id: 'fork-bytes-deep',
      what: `bytes that a fork at depth ${n(depth)} adds`,
      most: 1024,
      unit: 'B',
      noise: 0,
      of: (find) => find(`${deep}: bytes added`, LIBRARY, depth),
    },
    {
      id: 'fork-stored-dexie',
      what: `fork ${n(long)} events not loaded, faster than Dexie`,
      least: 5,
      unit,
      noise: 5,
      of: between(stored, DEXIE, LIBRARY, long),
    },
  ]
}

function appends({ long, short, log }: Sizes): Target[] {
  const call = 'append of a chunk, per call'
  const durable = [20, 200].flatMap((batch): Target[] => {
    const work = `durable append of ${batch}`
    const unit = '×'
    return [
      {
        id: `durable-${batch}-dexie`,
        what: `${work}, faster than Dexie`,
        least: batch === 20 ? 3 : 10,
        unit,
        // Where the disk takes long to sync, everybody takes as long.
        noise: 1,
        of: between(work, DEXIE, LIBRARY, log),
      },
      {
        id: `durable-${batch}-raw`,
        what: `${work} against raw IndexedDB`,
        most: 1.3,
        unit,
        noise: 2,
        of: between(work, LIBRARY, RAW, log),
      },
      {
        id: `durable-${batch}-raw-worker`,
        what: `the same against raw IndexedDB in a worker, ${batch}`,
        unit,
        noise: 2,
        of: between(work, LIBRARY, RAW_IN_WORKER, log),
      },
    ]
  })
  return [
    ...durable,
    {
      id: 'append-call',
      what: `append of a chunk to ${n(long)} events`,
      most: 20,
      unit: 'µs',
      noise: 5,
      of: (find) => find(call, LIBRARY, long),
    },
    {
      id: 'append-growth',
      what: `the same against ${n(short)} events`,
      most: 1.5,
      unit: '×',
      noise: 2,
      of: growth(call, short, long),
    },
  ]
}

function openings({ long }: Sizes): Target[] {
  const unit = 'ms'
  return [
    {
      id: 'open-dexie',
      what: `open ${n(long)} events, faster than Dexie`,
      least: 5,
      unit: '×',
      noise: 2,
      of: between('open and derive messages', DEXIE, LIBRARY, long),
    },
    {
      id: 'open-task',
      what: `longest task while ${n(long)} events open`,
      most: 50,
      unit,
      noise: 20,
      of: worst(`open: ${LONGEST_TASK}`, long),
    },
    {
      id: 'show-task',
      what: 'the same, with the first transcript',
      most: 50,
      unit,
      noise: 20,
      of: worst(`open and show: ${LONGEST_TASK}`, long),
    },
    {
      id: 'idle-task',
      what: 'longest task of an idle page, for comparison',
      unit,
      // It tells of the machine only.
      noise: Infinity,
      of: (find) => find(LONGEST_TASK, IDLE, undefined, 'max'),
    },
  ]
}

function lists({ sessions }: Sizes): Target[] {
  const what = `list ${n(sessions)} sessions against a raw getAll`
  const work = 'list sessions'
  const unit = '×'
  return [
    { id: 'list-raw', what, most: 1.5, unit, noise: 2, of: between(work, LIBRARY, RAW, sessions) },
    {
      id: 'list-raw-worker',
      what: 'the same against a raw getAll in a worker',
      unit,
      noise: 2,
      of: between(work, LIBRARY, RAW_IN_WORKER, sessions),
    },
  ]
}

/** What an application loads; it is the same in every engine. */
function packages(): Target[] {
  return [
    ['facade', 12],
    ['worker', 10],
  ].map(([part, most]) => ({
    id: `size-${part}`,
    what: `size of the ${part}, minified and compressed`,
    most: most as number,
    unit: 'kB',
    noise: 0,
    of: (find) => find(`size of the ${part}`, LIBRARY),
  }))
}
