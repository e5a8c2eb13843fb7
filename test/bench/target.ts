/** A promise about the figures of one run, and how a figure is found in it: ratios, since times are the machine's. */
import type { Measure } from './measure.js'

export interface Target {
  /** Stays when the wording changes: what was recorded is found by it. */
  id: string
  what: string
  /** `× faster` and the like are at least met, all others at most. Neither: nothing was promised, and a loss is seen all the same. */
  least?: number
  most?: number
  unit: '×' | 'µs' | 'ms' | '%' | 'B' | 'kB'
  /** What is at least as good as this is not told from what was recorded: the machine, its disk and its clock do as much. */
  noise: number
  /** Undefined where something is missing that it takes. */
  of: (find: Find) => number | undefined
}

/** The longest task of a turn is judged by the worst, what takes a moment by what is usual; a sum of many is a mean. */
export type Figure = 'median' | 'mean' | 'max'

/** What a work took somebody, at a size; default: the median. */
export type Find = (work: string, by: string, size?: number, figure?: Figure) => number | undefined

export const LIBRARY = 'idb-sessions'
export const RAW = 'raw IndexedDB'
export const RAW_IN_WORKER = 'raw IndexedDB in a worker'
export const DEXIE = 'Dexie, row per event'
/** Nobody: a page in which nothing happens. */
export const IDLE = 'an idle page'
export const LONGEST_TASK = 'longest main-thread task'

export function isMet({ least, most }: Target, value: number): boolean {
  return value >= (least ?? -Infinity) && value <= (most ?? Infinity)
}

export function finder(measures: readonly Measure[]): Find {
  return (work, by, size, figure = 'median') => {
    return measures.find((m) => m.work === work && m.by === by && (size === undefined || m.size === size))?.[figure]
  }
}

/** The worst of a work: one long task is what a person sees, not the median of many. */
export function worst(work: string, size?: number): (find: Find) => number | undefined {
  return (find) => find(work, LIBRARY, size, 'max')
}

export function n(size: number): string {
  return size.toLocaleString('en')
}
