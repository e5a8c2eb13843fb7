/** Forks: at the end and in the middle, of what is live and what is not, deep and many. */
import type { Session } from 'idb-sessions'
import { withField, type Entrant, type Extent, type Name } from '../field.js'
import { endsOf, Generator, logOf } from '../generator.js'
import { agree, compare, measureOf, timed, type Measure } from '../measure.js'
import { LibraryKeeper } from '../peers/library.js'
import { LIBRARY, RAW, RAW_IN_WORKER } from '../target.js'
import { recordBytes } from './stored.js'

/** Forks in one round. */
const TOGETHER = 40
/** Forks that are timed together where they take a moment: some clocks tell whole milliseconds. */
const ALIKE = 10
const SHARING: ReadonlySet<string> = new Set([LIBRARY, RAW, RAW_IN_WORKER])

/** Forks at the end of live logs of these lengths, of each in turn. */
export function forkLong(extent: Extent, lengths: readonly number[]): Promise<Measure[]> {
  return withField(extent, ['library'], async ([entrant]) => {
    const { store } = entrant.keeper as LibraryKeeper
    const sources = []
    for (const length of lengths) {
      sources.push({ size: length, source: await store.create(`${length}`, { seed: logOf(length) }) })
    }
    return compareForks(extent, 'fork at the end', entrant, sources)
  })
}

/** Forks of sessions that are themselves the last of so many generations, each with a turn of its own. */
export function forkDeep(extent: Extent, depths: readonly number[]): Promise<Measure[]> {
  return withField(extent, ['library'], async ([entrant]) => {
    const { store } = entrant.keeper as LibraryKeeper
    const sources = []
    let last = await store.create('a', { seed: logOf(100) })
    for (let depth = 1; depth <= Math.max(...depths); depth++) {
      if (depths.includes(depth)) sources.push({ size: depth, source: last })
      const child = await store.fork(last)
      appendTurn(child)
      await store.flush(child)
      if (!depths.includes(depth)) await store.release(last)
      last = child
    }
    return compareForks(extent, 'fork at a depth', entrant, sources)
  })
}

/**
 * A fork of what is open already, by everyone: sharing or copying. The child can be written when it is done. For those that
 * copy, the middle is half the work, and is left out.
 */
export function forkLive(extent: Extent, length: number, boundary: 'end' | 'middle'): Promise<Measure[]> {
  const copying: Name[] = boundary === 'end' ? ['dexie', 'sqlite', 'wholeSession'] : []
  const names: Name[] = ['library', 'raw', 'rawInWorker', ...copying, 'dsh']
  return withField(extent, names, async (field) => {
    const log = logOf(length)
    const ends = endsOf(log)
    const seq = ends[boundary === 'end' ? ends.length - 1 : ends.length >> 1]
    const runners = []
    for (const { by, keeper } of field) {
      await keeper.fill('a', log)
      await keeper.open('a')
      const count = SHARING.has(by) ? ALIKE : 1
      const run = async (round: number): Promise<number> => {
        const children = Array.from({ length: count }, (_, i) => `child-${round}-${i}`)
        const time = await timed(async () => {
          for (const child of children) await keeper.fork('a', child, seq)
        })
        for (const child of children) {
          await keeper.leave?.(child)
          await keeper.delete?.(child)
        }
        return time / count
      }
      runners.push({ by, run })
    }
    return compare(runners, { work: `fork of a live log, ${boundary}`, size: length, rounds: extent.rounds })
  })
}

/**
 * A fork of a log that is not in memory, with the child's messages: all that it takes to go on from there. In the middle
 * without Dexie, whose copy is then half as long.
 */
export function forkStored(extent: Extent, length: number, boundary: 'end' | 'middle'): Promise<Measure[]> {
  const slow: Name[] = boundary === 'end' ? ['dexie'] : []
  return withField(extent, ['library', ...slow, 'sqlite', 'wholeSession'], async (field) => {
    const log = logOf(length)
    const ends = endsOf(log)
    const seq = boundary === 'end' ? undefined : ends[ends.length >> 1]
    const answers: number[] = []
    const runners = []
    for (const { by, keeper } of field) {
      await keeper.fill('a', log)
      const run = async (round: number): Promise<number> => {
        const child = `child-${round}`
        const time = await timed(async () => {
          await keeper.fork('a', child, seq)
          answers.push(await messagesOf(keeper, child))
        })
        await keeper.leave?.(child)
        await keeper.delete?.(child)
        return time
      }
      runners.push({ by, run })
    }
    const where = boundary === 'end' ? '' : ', middle'
    const work = `fork of a log not loaded, and its messages${where}`
    const measures = await compare(runners, { work, size: length, rounds: extent.rounds })
    agree(work, answers)
    return measures
  })
}

/** Each a fork of the one before, with a turn of its own. */
export function nestedForks(extent: Extent, megabytes: number): Promise<Measure[]> {
  return withField(extent, ['library'], async ([{ by, keeper }]) => {
    const { store } = keeper as LibraryKeeper
    const generator = new Generator()
    for (let bytes = 0, at = 0; bytes < megabytes * 1e6;) {
      generator.turn()
      for (; at < generator.events.length; at++) bytes += JSON.stringify(generator.events[at]).length
    }
    const root = await store.create('a', { seed: generator.events })
    const run = async (): Promise<number> => {
      let last = root
      const time = await timed(async () => {
        for (let i = 0; i < 50; i++) {
          last = await store.fork(last)
          appendTurn(last)
          await store.flush(last)
        }
      })
      const children = store.list().filter((session) => session !== root)
      await store.delete(children.map(({ id }) => id))
      return time
    }
    const work = `50 nested forks of ${megabytes} MB, a turn in each`
    return compare([{ by, run }], { work, rounds: extent.rounds })
  })
}

/** Means of many forks that an application makes and throws away: single ones would hide what happens now and then. */
async function compareForks(
  extent: Extent,
  work: string,
  { by, database, keeper }: Entrant,
  sources: readonly { size: number; source: Session }[],
): Promise<Measure[]> {
  const { store } = keeper as LibraryKeeper
  const runners = sources.map(({ size, source }) => {
    const run = async (): Promise<number> => {
      let time = 0
      for (let i = 0; i < TOGETHER; i++) {
        const start = performance.now()
        const child = await store.fork(source)
        time += performance.now() - start
        await store.release(child)
        await store.delete(child.id)
      }
      return time / TOGETHER
    }
    return { by: `${size}`, run }
  })
  const times = await compare(runners, { work, rounds: extent.rounds })
  const measures = times.map((measure): Measure => ({ ...measure, by, size: Number(measure.by) }))
  for (const { size, source } of sources) {
    const before = await recordBytes(database)
    const child = await store.fork(source)
    const bytes = (await recordBytes(database)) - before
    await store.delete(child.id)
    measures.push(measureOf({ work: `${work}: bytes added`, by, size, unit: 'B' }, [bytes]))
  }
  return measures
}

function appendTurn(session: Session): void {
  const turn = session.turn.next
  session.append('turn/start', { turn })
  session.append('turn/end', { turn, reason: { kind: 'completed' } })
}

function messagesOf(keeper: { open(id: string): Promise<number> }, id: string): Promise<number> | number {
  return keeper instanceof LibraryKeeper ? keeper.store.get(id)!.messages.length : keeper.open(id)
}
