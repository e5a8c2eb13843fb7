/** Answers that come in as models send them, and are safe at the end of each turn. */
import type { SessionEvent } from 'idb-sessions'
import { withField, type Entrant, type Extent, type Name } from '../field.js'
import { Generator, logOf } from '../generator.js'
import { longestTask, measureOf, timed, type Measure } from '../measure.js'
import { LibraryKeeper } from '../peers/library.js'
import { LONGEST_TASK } from '../target.js'
import { jsonBytes, mergeAll, ownBytes } from './stored.js'

/** Longer logs cost those that copy too much to be filled for each work. */
const SHORT = 10_000
/** A fork of the log that is there already: what is streamed is alone in its own log, and is counted to the last event. */
const ID = 'b'

/** Turns of all take turns: each is streamed at its pace, into a log that is there already. */
export function stream(
  extent: Extent,
  pace: number,
  turns: number,
  deltas: number,
  before: number,
): Promise<Measure[]> {
  const others: Name[] = before <= SHORT ? ['dexie', 'sqlite', 'wholeSession'] : []
  return withField(extent, ['library', ...others], async (field) => {
    const log = logOf(before)
    const streams = []
    for (const entrant of field) {
      await entrant.keeper.fill('a', log)
      await entrant.keeper.fork('a', ID)
      await entrant.keeper.open(ID)
      streams.push(new Streamed(entrant, Generator.after(log)))
    }
    for (let turn = -1; turn < turns; turn++) {
      const order = turn % 2 === 0 ? streams : streams.toReversed()
      for (const one of order) await one.turn(pace, deltas, turn >= 0)
    }
    const name = `stream ${pace} chunks/s into ${before}`
    const bytes = await bytesOf(field[0], streams[0]!.generator.events, name)
    return [...bytes, ...streams.flatMap((one) => one.measures(name))]
  })
}

/** What one of them is given, and what that takes. */
class Streamed {
  readonly #flushes: number[] = []
  readonly #busy: number[] = []
  readonly #tasks: number[] = []
  readonly #shown: { time: number }

  constructor(
    private readonly entrant: Entrant,
    readonly generator: Generator,
  ) {
    const { keeper } = entrant
    this.#shown = keeper instanceof LibraryKeeper ? showTranscript(keeper) : { time: 0 }
  }

  async turn(pace: number, deltas: number, counts: boolean): Promise<void> {
    const { keeper } = this.entrant
    const from = this.generator.events.length
    this.generator.answer(deltas)
    const events = this.generator.events.slice(from)
    const [begin, ...rest] = events
    const [last] = rest.splice(-1)
    let sending = 0
    let flush = 0
    this.#shown.time = 0
    const task = await longestTask(async () => {
      keeper.stream!(ID, begin!)
      sending = await atPace(rest, pace, (event) => keeper.stream!(ID, event))
      flush = await timed(() => keeper.append(ID, [last!]))
    })
    if (!counts) return
    this.#flushes.push(flush)
    this.#tasks.push(task)
    this.#busy.push(((sending + this.#shown.time) * pace) / (10 * events.length))
  }

  measures(name: string): Measure[] {
    const { by } = this.entrant
    return [
      measureOf({ work: `${name}: flush of a turn`, by, unit: 'ms' }, this.#flushes),
      measureOf({ work: `${name}: main thread in append calls and transcript reads`, by, unit: '%' }, this.#busy),
      measureOf({ work: `${name}: ${LONGEST_TASK}`, by, unit: 'ms' }, this.#tasks),
    ]
  }
}

/** As a page does that shows it: whenever it is told, it reads. Counts what that takes, ms. */
function showTranscript({ store }: LibraryKeeper): { time: number } {
  const session = store.get(ID)!
  const shown = { time: 0 }
  session.subscribe(() => {
    const begin = performance.now()
    void session.transcript.length
    shown.time += performance.now() - begin
  })
  return shown
}

/** As the stream has left it, and with nothing left to merge. */
async function bytesOf({ by, database }: Entrant, events: readonly SessionEvent[], name: string): Promise<Measure[]> {
  const json = events.reduce((sum, event) => sum + jsonBytes(event) + 1, 0)
  const measured = async (work: string): Promise<Measure> => {
    const share = (100 * (await ownBytes(database, ID, events.length))) / json
    return measureOf({ work: `${name}: stored bytes / JSON, ${work}`, by, unit: '%' }, [share])
  }
  const left = await measured('as streamed')
  await mergeAll(database, ID)
  return [left, await measured('merged')]
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
