/** Who takes part, each with databases of its own. */
import type { Contestant, Keeper } from './contestant.js'
import { dexie } from './peers/dexie.js'
import { dsh } from './peers/dsh.js'
import { library } from './peers/library.js'
import { raw, rawInWorker } from './peers/raw.js'
import { sqlite } from './peers/sqlite.js'
import { wholeSession } from './peers/whole-session.js'

export type Name = 'library' | 'raw' | 'rawInWorker' | 'dexie' | 'wholeSession' | 'sqlite' | 'dsh'

const all: Record<Name, Contestant | undefined> = { library, raw, rawInWorker, dexie, wholeSession, sqlite, dsh }

export interface Entrant {
  by: string
  database: string
  keeper: Keeper
}

/** How much is measured. */
export interface Extent {
  /** Repetitions; what takes a moment only is repeated more often. */
  rounds: number
  /** Those that can be measured here; the others are left out. */
  names: readonly Name[]
}

/** Of one that is known to be there. */
export function contestant(name: Name): Contestant {
  return all[name]!
}

let databases = 0

/** Opens an empty database of each of `names` that takes part, and closes all of them after `body`. */
export async function withField<T>(
  { names }: Extent,
  wanted: readonly Name[],
  body: (field: [Entrant, ...Entrant[]]) => Promise<T>,
): Promise<T> {
  const field: Entrant[] = []
  for (const name of wanted.filter((name) => names.includes(name))) {
    const contestant = all[name]
    if (contestant === undefined) continue
    const database = `bench-${Date.now()}-${++databases}`
    field.push({ by: contestant.name, database, keeper: await contestant.open(database) })
  }
  try {
    // The library always takes part.
    return await body(field as [Entrant, ...Entrant[]])
  } finally {
    for (const { keeper } of field) await keeper.close()
  }
}
