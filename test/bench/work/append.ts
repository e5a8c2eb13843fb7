/** Adding to a log: what a call costs, and what it takes until a batch is safe. */
import type { SessionEvent } from 'idb-sessions'
import { withField, type Extent } from '../field.js'
import { Generator, logOf } from '../generator.js'
import { compare, timed, type Measure } from '../measure.js'
import { appendTo, LibraryKeeper } from '../peers/library.js'

/** Calls that are timed together: clocks are too coarse for one. */
const CALLS = 200

/** `append` of one chunk, without waiting for anything. */
export function appendCall(extent: Extent, length: number): Promise<Measure[]> {
  return withField(extent, ['library', 'dsh'], async (field) => {
    const runners = []
    for (const { by, keeper } of field) {
      await keeper.fill('a', logOf(length))
      if (keeper instanceof LibraryKeeper) await keeper.open('a')
      const tail = chunksAfter(length)
      const run = async (): Promise<number> => {
        const events = tail(CALLS)
        const time = await timed(() => {
          for (const event of events) keeper.stream!('a', event)
        })
        await keeper.append('a', [])
        return (time * 1000) / CALLS
      }
      runners.push({ by, run })
    }
    return compare(runners, {
      work: 'append of a chunk, per call',
      size: length,
      unit: 'µs',
      rounds: 4 * extent.rounds,
    })
  })
}

/** A batch and the wait until a power cut would not take it. */
export function durableAppend(extent: Extent, batch: number, length: number): Promise<Measure[]> {
  return withField(extent, ['library', 'raw', 'rawInWorker', 'dexie', 'sqlite', 'wholeSession'], async (field) => {
    const runners = []
    for (const { by, keeper } of field) {
      const log = logOf(length)
      await keeper.fill('a', log)
      const tail = tailOf(log)
      const run = async (): Promise<number> => {
        const events = tail(batch)
        keeper.prepare?.(events)
        return timed(() => keeper.append('a', events))
      }
      runners.push({ by, run })
    }
    return compare(runners, { work: `durable append of ${batch}`, size: length, rounds: 4 * extent.rounds })
  })
}

/** What the transcript costs while chunks come in: appended and shown one by one. */
export function transcriptChunk(extent: Extent, length: number): Promise<Measure[]> {
  return withField(extent, ['library'], async ([entrant]) => {
    const { by } = entrant
    const keeper = entrant.keeper as LibraryKeeper
    await keeper.fill('a', logOf(length))
    const session = await keeper.store.load('a')
    const tail = chunksAfter(length)
    const run = async (): Promise<number> => {
      const events = tail(CALLS)
      const time = await timed(() => {
        for (const event of events) {
          appendTo(session, event)
          void session.transcript
        }
      })
      await keeper.store.flush(session)
      return (time * 1000) / CALLS
    }
    return compare([{ by, run }], {
      work: 'append and transcript, per chunk',
      size: length,
      unit: 'µs',
      rounds: 4 * extent.rounds,
    })
  })
}

/** The next events of a log, as many at a time as are asked for. */
function tailOf(log: readonly SessionEvent[]): (count: number) => SessionEvent[] {
  const generator = Generator.after(log)
  let at = 0
  return (count) => {
    while (generator.events.length < at + count) generator.turn()
    return generator.events.slice(at, (at += count))
  }
}

/** The tokens of an answer that does not end, after a log of that length. */
function chunksAfter(length: number): (count: number) => SessionEvent[] {
  let seq = length
  return (count) =>
    Array.from({ length: count }, () => {
      const chunk = { type: 'text-delta', index: 0, text: `word ${seq} ` }
      return {
        type: 'assistant/chunk',
        seq: seq++,
        time: Date.now(),
        data: { turn: 1, step: 1, chunk },
      } as SessionEvent
    })
}
