/** Limits of an import that are too large for a vector. The README states them; DSH has none of the kind. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HEADER_LINE } from '../log/support.js'
import { page } from '../support/lifetime.js'
import { sentences } from './cases/differs.mjs'
import { missing, Oracle } from './connect.mjs'

const reason = missing === undefined ? '' : ` (skipped, ${missing})`

let oracle: Oracle

beforeAll(() => {
  if (missing === undefined) oracle = new Oracle()
})
afterAll(() => oracle?.close())

const fileWith = (line: string): string => `${HEADER_LINE}\n${line}\n`

/** A line of so many bytes. */
function lineOf(size: number): string {
  const line = '{"type":"todo/write","seq":0,"time":1,"data":""}'
  return line.replace('""', `"${'x'.repeat(size - line.length)}"`)
}

/** A chunk row that stands for so many events. */
function rowOf(count: number): string {
  const texts = Array.from({ length: count }, () => '')
  const data = { turn: 1, step: 1, index: 0, dt: texts.slice(1).map(() => 0), texts }
  return JSON.stringify({ type: 'text-chunks', seq0: 0, time0: 1, data })
}

describe.each([
  ['limits of events', '32 MiB', lineOf, 32 * 1024 * 1024, 1],
  ['limits of headers and rows', '500,000 events', rowOf, 500_000, 500_000],
])('%s', (key, limit, make, most, events) => {
  const { of, says } = sentences[key]!

  test(`the ${of} limits a line to ${limit}: "${says}"`, { timeout: 60_000 }, async () => {
    const { store } = await page()
    const { session } = await store.importLog(fileWith(make(most)))
    expect(session.length).toBe(events)
    await expect(store.importLog(fileWith(make(most + 1)), { id: 'more' })).rejects.toMatchObject({
      code: 'INVALID_LOG',
      line: 2,
    })
  })

  test.skipIf(missing !== undefined)(`DSH reads what is larger${reason}`, { timeout: 60_000 }, async () => {
    const [result] = await oracle.ask([{ do: 'readFile', text: fileWith(make(most + 1)) }])
    expect(result).toHaveProperty('value')
  })
})
