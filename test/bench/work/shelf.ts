/** Many sessions at once: listing and deleting them, and what they cost whoever works in one of them. */
import { withField, type Entrant, type Extent } from '../field.js'
import { Generator, logOf } from '../generator.js'
import { agree, compare, timed, type Measure } from '../measure.js'
import { RAW } from '../target.js'

/** Lists that are timed together: some clocks tell whole milliseconds. */
const LISTS = 5

export function list(extent: Extent, sessions: number): Promise<Measure[]> {
  return withField(extent, ['library', 'raw', 'rawInWorker', 'dexie', 'sqlite'], async (field) => {
    await fillShelves(field, sessions)
    const answers = [sessions]
    const runners = field.map(({ by, keeper }) => {
      const run = async (): Promise<number> => {
        const time = await timed(async () => {
          for (let i = 0; i < LISTS; i++) answers.push(await keeper.list!())
        })
        return time / LISTS
      }
      return { by, run }
    })
    const measures = await compare(runners, { work: 'list sessions', size: sessions, rounds: 2 * extent.rounds })
    agree('list', answers)
    return measures
  })
}

/** Work in a session of 1,000 events that has so many others beside it. */
export function amongSessions(extent: Extent, sessions: number): Promise<Measure[]> {
  return withField(extent, ['library', 'raw', 'dexie'], async (field) => {
    await fillShelves(field, sessions)
    const log = logOf(1000)
    const runnersOf = (work: (entrant: Entrant, id: string) => Promise<number>) => {
      return field.map((entrant) => {
        const run = async (round: number): Promise<number> => {
          const id = `own-${round}`
          await entrant.keeper.fill(id, log)
          const time = await work(entrant, id)
          await entrant.keeper.leave?.(id)
          await entrant.keeper.delete!(id)
          return time
        }
        return { by: entrant.by, run }
      })
    }
    const sizes = { size: sessions, rounds: 2 * extent.rounds }
    const appending = runnersOf(async ({ keeper }, id) => {
      await keeper.open(id)
      const generator = Generator.after(log)
      generator.turn()
      const events = generator.events.slice(0, 20)
      return timed(() => keeper.append(id, events))
    })
    const opening = runnersOf(({ keeper }, id) => timed(() => keeper.open(id)))
    const deleting = runnersOf(async ({ keeper }, id) => {
      const time = await timed(() => keeper.delete!(id))
      await keeper.fill(id, log)
      return time
    })
    return [
      ...(await compare(appending, { work: 'durable append of 20 among sessions', ...sizes })),
      ...(await compare(opening, { work: 'open 1,000 events among sessions', ...sizes })),
      ...(await compare(deleting, { work: 'delete 1,000 events among sessions', ...sizes })),
    ]
  })
}

/** A parent whose forks stay whole. Raw IndexedDB knows no forks when it deletes, and gets none. */
export function deleteParent(extent: Extent, length: number, forks: number): Promise<Measure[]> {
  return withField(extent, ['library', 'raw', 'dexie', 'sqlite', 'wholeSession'], async (field) => {
    const log = logOf(length)
    const runners = field.map(({ by, keeper }) => {
      const run = async (round: number): Promise<number> => {
        const id = `parent-${round}`
        await keeper.fill(id, log)
        const count = by === RAW ? 0 : forks
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

async function fillShelves(field: readonly Entrant[], sessions: number): Promise<void> {
  const log = logOf(10)
  for (const { keeper } of field) {
    for (let at = 0; at < sessions; at += 50) {
      const some = Array.from({ length: Math.min(50, sessions - at) }, (_, i) => `s${at + i}`)
      await Promise.all(some.map((id) => keeper.fill(id, log)))
    }
  }
}
