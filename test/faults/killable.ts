/** Browsers that can be killed while their page tells what it knows. */
import { kill, launch, openTab, type Engine } from './browser.js'
import type { Driven, Ledger } from './ledger.js'

export interface Killable {
  title: string
  isMissing: boolean
  /** The files that it has made of a database. */
  files(profile: string): string[]
  /** A browser with one page, in which a store is open and of which the ledger hears. */
  start(profile: string, ledger: Ledger): Promise<Started>
}

export interface Started {
  page: Driven
  /** Ends all its processes. */
  kill: () => Promise<void>
}

export function killable(engine: Engine): Killable {
  const start: Killable['start'] = async (profile, ledger) => {
    const context = await launch(engine, profile)
    await ledger.listen(context)
    return { page: await openTab(context), kill: () => kill(profile, context) }
  }
  return { title: engine.title, isMissing: engine.isMissing === true, files: (profile) => engine.files(profile), start }
}
