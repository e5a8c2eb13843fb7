/* oxlint-disable vitest/no-conditional-expect -- what is to be expected depends on where the bit is */
/** One bit turns over, anywhere in what is stored of a log. */
import fc from 'fast-check'
import type { SessionStore } from 'idb-sessions'
import { decodeStorageRecord } from 'idb-sessions/log'
import { describe, expect, test } from 'vitest'
import type { SegmentRecord } from '../../worker/records.js'
import { seed } from '../model/seed.js'
import { EVENTS, family, spoil, STARTS } from '../support/family.js'
import { inBrowser, openPage } from '../support/page.js'

const numRuns = inBrowser ? 40 : 150
/** Which bit of which turn's segment. */
const bit = fc.record({ first: fc.constantFrom(...STARTS), isFork: fc.boolean(), byte: fc.nat(), bit: fc.nat(7) })
type Bit = typeof bit extends fc.Arbitrary<infer T> ? T : never

const ownLogs = (records: SegmentRecord[]): string[] => [...new Set(records.map(({ log }) => log))]

/** Turns the bit over, in the log of `b` where that has a third turn of its own. Returns the events that can be read of each. */
async function flip(name: string, { first, isFork, byte, bit }: Bit): Promise<Record<'a' | 'b', number>> {
  const found: SegmentRecord[] = []
  await spoil(name, 'segments', (record) => {
    found.push(record as unknown as SegmentRecord)
    return record
  })
  const counts = ownLogs(found).map((log) => ({ log, segments: found.filter((record) => record.log === log).length }))
  const logOf = {
    a: counts.find(({ segments }) => segments === 3)!.log,
    b: counts.find(({ segments }) => segments === 1)!.log,
  }
  const ofB = isFork && first === 6
  await spoil(name, 'segments', (record) => {
    if (record['log'] !== (ofB ? logOf.b : logOf.a) || record['first'] !== first) return record
    const bytes = record['bytes'] as Uint8Array
    bytes[byte % bytes.length]! ^= 1 << bit
    return record
  })
  return { a: ofB ? 9 : first, b: ofB ? 6 : first === 6 ? 9 : first }
}

async function expectReadable(store: SessionStore, id: string, readable: number): Promise<void> {
  const file = await new Response(await store.exportLog(id)).text()
  const [, ...lines] = file.trimEnd().split('\n')
  expect(lines.flatMap((line) => decodeStorageRecord(JSON.parse(line))).map(({ data }) => data)).toEqual(
    EVENTS.slice(0, readable).map(({ data }) => data),
  )
  if (readable > 0) {
    const child = await store.fork(id, readable - 1)
    expect(child.events).toHaveLength(readable)
    await store.delete(child.id)
  }
  if (readable === 9) {
    expect((await store.inspect(id)).events).toHaveLength(9)
    return
  }
  const calls = [store.load(id), store.inspect(id), store.forkPoints(id), store.fork(id), store.fork(id, readable + 2)]
  for (const outcome of await Promise.allSettled(calls)) {
    expect(outcome).toMatchObject({ reason: { code: 'SESSION_CORRUPT', sessionId: id, readable } })
  }
}

describe('a flipped bit, wherever it is', () => {
  test(`costs what is behind it, and nobody else: ${numRuns} places`, { timeout: 60_000 }, async () => {
    const property = fc.asyncProperty(bit, async (bit) => {
      const { name } = await family()
      const readable = await flip(name, bit)
      const { store } = await openPage({ name })
      await expectReadable(store, 'a', readable.a)
      await expectReadable(store, 'b', readable.b)
      expect((await store.stored()).map(({ header, length }) => [header.id, length])).toEqual(
        expect.arrayContaining(['a', 'b', 'c'].map((id) => [id, 9])),
      )
      expect((await store.inspect('c')).events).toEqual(EVENTS)
      expect(await store.delete(['a', 'b'])).toMatchObject([{ outcome: 'deleted' }, { outcome: 'deleted' }])
      expect((await store.inspect('c')).events).toEqual(EVENTS)
      await store.close()
    })
    await fc.assert(property, { seed, numRuns })
  })
})
