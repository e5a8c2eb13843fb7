/** From the disk to the messages for the model, and to what a person sees. */
import { packChunkRuns } from 'idb-sessions/log'
import { encodeHeader } from '../../../lib/log/header.js'
import { withField, type Entrant, type Extent } from '../field.js'
import { logOf } from '../generator.js'
import { agree, compare, longestTask, timed, type Measure } from '../measure.js'
import { LibraryKeeper } from '../peers/library.js'
import { LONGEST_TASK } from '../target.js'

export function open(extent: Extent, length: number): Promise<Measure[]> {
  return withField(extent, ['library', 'raw', 'dexie', 'sqlite', 'wholeSession'], async (field) => {
    const log = logOf(length)
    for (const { keeper } of field) await keeper.fill('a', log)
    return [
      ...(await compareOpening(extent, field, length, 'open', ({ keeper }) => keeper.open('a'))),
      ...(await compareOpening(
        extent,
        field.filter(({ keeper }) => 'show' in keeper),
        length,
        'open and show',
        ({ keeper }) => keeper.show!('a'),
      )),
    ]
  })
}

const FULL_NAMES = {
  open: 'open and derive messages',
  'open and show': 'open, derive messages and the transcript',
}

/** How long it takes, and in other rounds, since watching takes time too, how long its longest task is. */
async function compareOpening(
  extent: Extent,
  field: readonly Entrant[],
  length: number,
  name: keyof typeof FULL_NAMES,
  body: (entrant: Entrant) => Promise<number>,
): Promise<Measure[]> {
  const answers: number[] = []
  const runnersOf = (measured: (work: () => Promise<void>) => Promise<number>) => {
    return field.map((entrant) => {
      const run = async (): Promise<number> => {
        const value = await measured(async () => {
          answers.push(await body(entrant))
        })
        await entrant.keeper.leave?.('a')
        return value
      }
      return { by: entrant.by, run }
    })
  }
  const size = { size: length, rounds: extent.rounds }
  const times = await compare(runnersOf(timed), { work: FULL_NAMES[name], ...size })
  const tasks = await compare(runnersOf(longestTask), { work: `${name}: ${LONGEST_TASK}`, ...size })
  agree(name, answers)
  return [...times, ...tasks]
}

/** Of what has just come into memory, without that. */
export function derive(extent: Extent, length: number): Promise<Measure[]> {
  return withField(extent, ['library', 'dsh'], async (field) => {
    const log = logOf(length)
    const answers: number[] = []
    const runners = []
    for (const { by, keeper } of field) {
      if (keeper instanceof LibraryKeeper) await keeper.fill('a', log)
      const run = async (round: number): Promise<number> => {
        const isLibrary = keeper instanceof LibraryKeeper
        const id = isLibrary ? 'a' : `a-${round}`
        const session = isLibrary ? await keeper.store.load(id) : undefined
        if (session === undefined) await keeper.fill(id, log)
        const time = await timed(async () => {
          answers.push(session?.deriveMessages().length ?? (await keeper.open(id)))
        })
        await keeper.leave?.(id)
        return time
      }
      runners.push({ by, run })
    }
    const work = 'derive messages, first time in memory'
    const measures = await compare(runners, { work, size: length, rounds: extent.rounds })
    agree(work, answers)
    return measures
  })
}

/** A whole log comes in: to this library as a file, to the others as events. */
export function importLog(extent: Extent, length: number): Promise<Measure[]> {
  return withField(extent, ['library', 'raw', 'dexie', 'sqlite', 'wholeSession'], async (field) => {
    const log = logOf(length)
    const file = fileOf(length)
    for (const { keeper } of field) keeper.prepare?.(log)
    const runners = field.map(({ by, keeper }) => {
      const run = async (round: number): Promise<number> => {
        const id = `import-${round}`
        const time = await timed(() => {
          return keeper instanceof LibraryKeeper ? keeper.store.importLog(file, { id }) : keeper.fill(id, log)
        })
        await keeper.delete?.(id)
        return time
      }
      return { by, run }
    })
    return compare(runners, { work: 'import', size: length, rounds: extent.rounds })
  })
}

/** A log as DSH keeps it. */
export function fileOf(length: number): string {
  const header = encodeHeader({ version: 0, id: 'a', createdAt: 0 })
  return [header, ...packChunkRuns(logOf(length)).map((row) => JSON.stringify(row)), ''].join('\n')
}
