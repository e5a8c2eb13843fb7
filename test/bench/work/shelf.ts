/** Many sessions at once: listing and deleting them. */
import { withField, type Extent } from '../field.js'
import { logOf } from '../generator.js'
import { compare, timed, type Measure } from '../measure.js'
import { LibraryKeeper } from '../peers/library.js'

export function list(extent: Extent, sessions: number): Promise<Measure[]> {
  return withField(extent, ['library', 'raw', 'rawInWorker', 'dexie', 'sqlite'], async (field) => {
    const log = logOf(10)
    for (const { keeper } of field) {
      for (let at = 0; at < sessions; at += 50) {
        const some = Array.from({ length: Math.min(50, sessions - at) }, (_, i) => `s${at + i}`)
        await Promise.all(some.map((id) => keeper.fill(id, log)))
      }
    }
    const runners = field.map(({ by, keeper }) => ({ by, run: () => timed(() => keeper.list!()) }))
    return compare(runners, { work: 'list sessions', size: sessions, rounds: 3 * extent.rounds })
  })
}

/** A parent whose forks stay whole. Where forks are copies, they have nothing to do with it, and are not made. */
export function deleteParent(extent: Extent, length: number, forks: number): Promise<Measure[]> {
  return withField(extent, ['library', 'raw', 'dexie', 'sqlite', 'wholeSession'], async (field) => {
    const log = logOf(length)
    const runners = field.map(({ by, keeper }) => {
      const run = async (round: number): Promise<number> => {
        const id = `parent-${round}`
        await keeper.fill(id, log)
        const count = keeper instanceof LibraryKeeper ? forks : 0
        const children = Array.from({ length: count }, (_, i) => `child-${round}-${i}`)
        for (const child of children) {
          await keeper.fork(id, child)
          await keeper.leave?.(child)
        }
        const time = await timed(() => keeper.delete!(id))
        for (const child of children) await keeper.delete!(child)
        return time
      }
      return { by, run }
    })
    return compare(runners, { work: `delete a parent of ${forks} forks`, size: length, rounds: extent.rounds })
  })
}
