/** Random session files, read by the published JSONL backend and by `importLog`: the same events, or both refuse. */
import fc from 'fast-check'
import { deleteDB } from 'idb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seed } from '../model/seed.js'
import { missing, Oracle, type Result } from './connect.mjs'
import { Library } from './library.js'
import { sessionFile } from './session-files.js'

const FILES = 1500
const reason = missing === undefined ? '' : ` (skipped, ${missing})`

let oracle: Oracle

beforeAll(() => {
  if (missing === undefined) oracle = new Oracle()
})
afterAll(() => oracle?.close())

const name = `DSH and importLog read the same from a file: ${FILES} random ones`
test.skipIf(missing !== undefined)(`${name}${reason}`, { timeout: 120_000 }, async () => {
  const counts = { read: 0, torn: 0, refused: 0 }
  const property = fc.asyncProperty(sessionFile, async ({ bytes, isDamaged }) => {
    const operation = { do: 'readFile', base64: bytes.toString('base64') }
    const [[theirs], ours] = await Promise.all([oracle.ask([operation]), read(operation)])
    counts['error' in ours ? 'refused' : 'dropped' in (ours.value as object) ? 'torn' : 'read']++
    const expected = 'error' in theirs! ? refusal(theirs.error, ours, isDamaged) : theirs
    expect(JSON.stringify([bytes.toString(), ours])).toBe(JSON.stringify([bytes.toString(), expected]))
  })
  await fc.assert(property, { seed, numRuns: FILES })
  console.info(`imports: seed ${seed}, ${JSON.stringify(counts)}`)
  expect(Object.values(counts).filter((count) => count < FILES / 10)).toEqual([])
})

/** Of several things that are wrong, each reader names the one that it looks at first. */
function refusal({ name }: { name: string }, ours: Result, isDamaged: boolean): Result {
  const isUnsupported = isDamaged
    ? 'error' in ours && ours.error.code === 'FORMAT_UNSUPPORTED'
    : name === 'SessionFormatUnsupportedError'
  return { error: { name: 'SessionStoreError', code: isUnsupported ? 'FORMAT_UNSUPPORTED' : 'INVALID_LOG' } }
}

async function read(operation: { do: string; base64: string }): Promise<Result> {
  const library = await Library.open()
  try {
    return await library.perform(operation)
  } finally {
    await library.close()
    await deleteDB(library.name)
  }
}
