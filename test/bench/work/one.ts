/** One contestant alone, with a database that outlives the page. */
import { contestant, type Name } from '../field.js'
import { logOf } from '../generator.js'
import type { LibraryKeeper } from '../peers/library.js'
import { fileOf } from './open.js'

const DATABASE = 'bench-one'

/** Stores a log. Resolves to the contestant's name, as the next one does. */
export async function fillOne(name: Name, length: number): Promise<string> {
  const keeper = await contestant(name).open(DATABASE)
  await keeper.fill('a', logOf(length))
  await keeper.close()
  return contestant(name).name
}

/** Opens what `fillOne` has stored. */
export async function openOne(name: Name): Promise<string> {
  const keeper = await contestant(name).open(DATABASE)
  await keeper.open('a')
  await keeper.close()
  return contestant(name).name
}

/** The same as a file, which this library takes in as it is. */
export async function importOne(name: Name, length: number): Promise<string> {
  const keeper = (await contestant(name).open(DATABASE)) as LibraryKeeper
  await keeper.store.importLog(fileOf(length))
  await keeper.close()
  return contestant(name).name
}
