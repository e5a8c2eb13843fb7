/** Damaged files, imported: `npm run test:fuzz` tries ten thousand. */
import { SessionStoreError } from 'idb-sessions'
import { expect, test } from 'vitest'
import { fuzz } from '../support/fuzzing.js'
import { page } from '../support/lifetime.js'
import { linesOf, runsOf } from '../support/mutants.js'
import { countRecords, inBrowser, type Page } from '../support/page.js'
import { NOTHING } from '../support/records.js'

const runs = runsOf('FC_IMPORTS', inBrowser ? 100 : 400)
/** An import that takes longer hangs, however slow the machine, ms. */
const HANG = 10_000
const MAX_GROWTH = 32 * 1024 * 1024
// In a browser nobody can tell how much of it is garbage.
const used = inBrowser ? () => 0 : (await import('../support/growth.js')).used

/** Whether the file is imported; then its session is whole, and deleted again. Throws when something else comes of it. */
async function isImported({ store }: Page, bytes: Uint8Array): Promise<boolean> {
  let report
  try {
    report = await store.importLog(new Blob([bytes as Uint8Array<ArrayBuffer>]), { id: 'imported' })
  } catch (error) {
    if (!(error instanceof SessionStoreError)) throw error
    if (error.code !== 'INVALID_LOG' && error.code !== 'FORMAT_UNSUPPORTED') throw error
    if (!(error.line! >= 1 && error.line! <= linesOf(bytes)))
      throw new Error(`there is no line ${error.line}`, { cause: error })
    return false
  }
  const session = await store.load('imported')
  if (session.firstLiveSeq < report.session.length) throw new Error('not all of it is there')
  await store.delete('imported')
  return true
}

test(
  `${runs} damaged files: each is imported, or refused with the number of a line, and nothing of it stays`,
  async () => {
    const opened = await page()
    const isTaken = (bytes: Uint8Array): Promise<boolean> => isImported(opened, bytes)
    const { slowest, growth } = await fuzz({ what: 'importLog', runs, isTaken, used })
    expect(slowest).toBeLessThan(HANG)
    expect(growth).toBeLessThan(MAX_GROWTH)
    expect(await countRecords(opened.name)).toEqual(NOTHING)
  },
  60_000 + runs * 50,
)
