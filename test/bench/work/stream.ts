/** Answers that come in as models send them, and are safe at the end of each turn. */
import { openDB } from 'idb'
import type { SessionEvent } from 'idb-sessions'
import type { Segment } from '../../../lib/log/jsonl.js'
import { withField, type Extent, type Name } from '../field.js'
import { Generator, logOf } from '../generator.js'
import { longestTask, measureOf, timed, type Measure } from '../measure.js'
import { LibraryKeeper } from '../peers/library.js'

/** Longer logs cost those that copy too much to be filled for each work. */
const SHORT = 10_000
/** Slower streams are easy for all, and take long to be measured. */
const FAST = 1000

/** Turns of all take turns: each is streamed at its pace, into a log that is there already. */
export function stream(
  extent: Extent,
  pace: number,
  turns: number,
  deltas: number,
  before: number,
): Promise<Measure[]> {
  const others: Name[] = before <= SHORT && pace >= FAST ? ['dexie', 'sqlite', 'wholeSession'] : []
  return withField(extent, ['library', ...others], async (field) => {
    const [{ database }] = field
    const log = logOf(before)
    const streams = []
    for (const { by, keeper } of field) {
      await keeper.fill('a', log)
      await keeper.open('a')
      const shown = keeper instanceof LibraryKeeper ? showTranscript(keeper) : { time: 0 }
      streams.push({
        by,
        keeper,
        shown,
        generator: Generator.after(log),
        flushes: [] as number[],
        busy: [] as number[],
        tasks: [] as number[],
      })
    }
    for (let turn = -1; turn < turns; turn++) {
      for (const { keeper, shown, generator, flushes, busy, tasks } of turn % 2 === 0
        ? streams
        : streams.toReversed()) {
        const from = generator.events.length
        generator.answer(deltas)
        const events = generator.events.slice(from)
        let sending = 0
        shown.time = 0
        const task = await longestTask(async () => {
          const [begin, ...rest] = events
          const [last] = rest.splice(-1)
          keeper.stream!('a', begin!)
          sending = await atPace(rest, pace, (event) => keeper.stream!('a', event))
          const flush = await timed(() => keeper.append('a', [last!]))
          if (turn >= 0) flushes.push(flush)
        })
        if (turn < 0) continue
        tasks.push(task)
        busy.push(((sending + shown.time) * pace) / (10 * events.length))
      }
    }
    const { generator } = streams[0]!
    const stored = await bytesAfter(database, before)
    const json = generator.events.reduce((sum, event) => sum + JSON.stringify(event).length + 1, 0)
    const name = `stream ${pace} chunks/s into ${before}`
    const bytes = measureOf({ work: `${name}: stored bytes / JSON`, by: field[0].by, unit: '%' }, [
      (100 * stored) / json,
    ])
    const times = streams.flatMap(({ by, flushes, busy, tasks }) => [
      measureOf({ work: `${name}: flush of a turn`, by, unit: 'ms' }, flushes),
      measureOf({ work: `${name}: main thread in calls`, by, unit: '%' }, busy),
      measureOf({ work: `${name}: longest main-thread task`, by, unit: 'ms' }, tasks),
    ])
    return [bytes, ...times]
  })
}

/** As a page does that shows it: whenever it is told, it reads. Counts what that takes, ms. */
function showTranscript({ store }: LibraryKeeper): { time: number } {
  const session = store.get('a')!
  const shown = { time: 0 }
  session.subscribe(() => {
    const begin = performance.now()
    void session.transcript.length
    shown.time += performance.now() - begin
  })
  return shown
}

/** Bytes of the segments that hold the events from `first` on. */
async function bytesAfter(database: string, first: number): Promise<number> {
  const db = await openDB(database)
  const segments = (await db.getAll('segments')) as Segment[]
  db.close()
  return segments.reduce((sum, segment) => sum + (segment.first >= first ? segment.bytes.byteLength : 0), 0)
}

/** Gives each event its moment; resolves to the time spent in giving them, ms. */
async function atPace(
  events: readonly SessionEvent[],
  pace: number,
  give: (event: SessionEvent) => void,
): Promise<number> {
  const begin = performance.now()
  let spent = 0
  for (let at = 0; at < events.length;) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(20, 1000 / pace)))
    const now = performance.now()
    const due = Math.min(events.length, Math.ceil(((now - begin) / 1000) * pace))
    for (; at < due; at++) give(events[at]!)
    spent += performance.now() - now
  }
  return spent
}
