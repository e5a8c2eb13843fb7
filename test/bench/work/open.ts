/** From the disk to the messages for the model. */
import { packChunkRuns } from 'idb-sessions/log'
import { encodeHeader } from '../../../lib/log/header.js'
import { withField, type Extent } from '../field.js'
import { logOf } from '../generator.js'
import { compare, longestTask, timed, type Measure } from '../measure.js'
import { LibraryKeeper } from '../peers/library.js'

export function open(extent: Extent, length: number): Promise<Measure[]> {
  return withField(extent, ['library', 'raw', 'dexie', 'sqlite', 'wholeSession'], async (field) => {
    const log = logOf(length)
    for (const { keeper } of field) await keeper.fill('a', log)
    const runners = field.map(({ by, keeper }) => {
      const run = async (): Promise<number> => {
        const time = await timed(() => keeper.open('a'))
        await keeper.leave?.('a')
        return time
      }
      return { by, run }
    })
    const size = { size: length, rounds: extent.rounds }
    const times = await compare(runners, { work: 'open and derive messages', ...size })
    const watching = field.map(({ by, keeper }) => {
      const run = async (): Promise<number> => {
        const longest = await longestTask(() => keeper.open('a'))
        await keeper.leave?.('a')
        return longest
      }
      return { by, run }
    })
    return [...times, ...(await compare(watching, { work: 'open: longest main-thread task', ...size }))]
  })
}

/** Of what is in memory already. */
export function derive(extent: Extent, length: number): Promise<Measure[]> {
  return withField(extent, ['library', 'dsh'], async (field) => {
    const runners = []
    for (const { by, keeper } of field) {
      await keeper.fill('a', logOf(length))
      await keeper.open('a')
      const run = async (): Promise<number> => {
        return timed(() =>
          keeper instanceof LibraryKeeper ? keeper.store.get('a')!.deriveMessages() : keeper.open('a'),
        )
      }
      runners.push({ by, run })
    }
    return compare(runners, { work: 'derive messages, live', size: length, rounds: extent.rounds })
  })
}

/** A whole log comes in: to this library as a file, to the others as events. */
export function importLog(extent: Extent, length: number): Promise<Measure[]> {
  return withField(extent, ['library', 'raw', 'dexie', 'sqlite', 'wholeSession'], async (field) => {
    const log = logOf(length)
    const lines = [
      encodeHeader({ version: 0, id: 'a', createdAt: 0 }),
      ...packChunkRuns(log).map((row) => JSON.stringify(row)),
    ]
    const file = `${lines.join('\n')}\n`
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
