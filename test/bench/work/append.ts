/** Adding to a log: what a call costs, and what it takes until a batch is safe. Logs stay about as long as their label says. */
import type { Session, SessionEvent } from 'idb-sessions'
import { withField, type Extent } from '../field.js'
import { Generator, logOf } from '../generator.js'
import { compare, timed, type Measure } from '../measure.js'
import { appendTo, LibraryKeeper } from '../peers/library.js'

/** Calls that are timed together: clocks are too coarse for one, and some for a hundred. */
const CALLS = 1000
/** Batches that are timed together, for the same reason. */
const BATCHES = 5

/** `append` of one chunk, without waiting for anything: to as many forks as it takes to let none grow by more than a tenth. */
export function appendCall(extent: Extent, length: number): Promise<Measure[]> {
  return withField(extent, ['library', 'dsh'], async (field) => {
    const runners = []
    const chunks = chunksAfter(length, Math.min(CALLS, length / 10))
    for (const { by, keeper } of field) {
      await keeper.fill('a', logOf(length))
      if (keeper instanceof LibraryKeeper) await keeper.open('a')
      const run = async (round: number): Promise<number> => {
        const children = Array.from({ length: CALLS / chunks.length }, (_, i) => `child-${round}-${i}`)
        for (const child of children) {
          await keeper.fork('a', child)
          // What a fork shares until it grows is no matter of a usual call.
          await keeper.append(child, chunks.slice(0, 1))
        }
        const time = await timed(() => {
          for (const child of children) for (const event of chunks) keeper.stream!(child, event)
        })
        for (const child of children) {
          await keeper.append(child, [])
          await keeper.delete?.(child)
        }
        return (time * 1000) / CALLS
      }
      runners.push({ by, run })
    }
    const work = 'append of a chunk, per call'
    return compare(runners, { work, size: length, unit: 'µs', rounds: 2 * extent.rounds })
  })
}

/** A batch and the wait until a power cut would not take it: to as many logs as let none grow by more than a third. */
export function durableAppend(extent: Extent, batch: number, length: number): Promise<Measure[]> {
  return withField(extent, ['library', 'raw', 'rawInWorker', 'dexie', 'sqlite', 'wholeSession'], async (field) => {
    const rounds = 2 * extent.rounds
    const log = logOf(length)
    const logs = Math.ceil(((rounds + 1) * BATCHES * batch * 3) / length)
    const runners = []
    for (const { by, keeper } of field) {
      const tails: Tail[] = []
      for (let i = 0; i < logs; i++) {
        await keeper.fill(`${i}`, log)
        await keeper.open(`${i}`)
        tails.push(tailOf(log))
      }
      let turn = 0
      const run = async (): Promise<number> => {
        const batches = Array.from({ length: BATCHES }, () => {
          const i = turn++ % logs
          const events = tails[i]!(batch)
          keeper.prepare?.(events)
          return { id: `${i}`, events }
        })
        const time = await timed(async () => {
          for (const { id, events } of batches) await keeper.append(id, events)
        })
        return time / BATCHES
      }
      runners.push({ by, run })
    }
    return compare(runners, { work: `durable append of ${batch}`, size: length, rounds })
  })
}

/** What the transcript costs while chunks come in: appended and shown one by one, in forks as above. */
export function transcriptChunk(extent: Extent, length: number): Promise<Measure[]> {
  return withField(extent, ['library'], async ([entrant]) => {
    const { store } = entrant.keeper as LibraryKeeper
    const chunks = chunksAfter(length, Math.min(CALLS, length / 10))
    const source = await store.create('a', { seed: logOf(length) })
    const run = async (): Promise<number> => {
      const children: Session[] = []
      for (let i = 0; i < CALLS / chunks.length; i++) {
        const child = await store.fork(source)
        appendTo(child, chunks[0]!)
        void child.transcript
        children.push(child)
      }
      const time = await timed(() => {
        for (const child of children) {
          for (const event of chunks) {
            appendTo(child, event)
            void child.transcript
          }
        }
      })
      for (const child of children) await store.release(child)
      await store.delete(children.map(({ id }) => id))
      return (time * 1000) / CALLS
    }
    const work = 'append and transcript, per chunk'
    return compare([{ by: entrant.by, run }], { work, size: length, unit: 'µs', rounds: extent.rounds })
  })
}

type Tail = (count: number) => SessionEvent[]

/** The next events of a log, as many at a time as are asked for. */
function tailOf(log: readonly SessionEvent[]): Tail {
  const generator = Generator.after(log)
  let at = 0
  return (count) => {
    while (generator.events.length < at + count) generator.turn()
    return generator.events.slice(at, (at += count))
  }
}

/** The tokens of an answer that does not end, after a log of that length. */
function chunksAfter(length: number, count: number): SessionEvent[] {
  return Array.from({ length: count }, (_, i) => {
    const seq = length + i
    const chunk = { type: 'text-delta', index: 0, text: `word ${seq} ` }
    return { type: 'assistant/chunk', seq, time: 0, data: { turn: 1, step: 1, chunk } } as SessionEvent
  })
}
