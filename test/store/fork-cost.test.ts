/** What a fork costs does not depend on how long its source is, or how many forks lie behind it. */
import { expect, test } from 'vitest'
import { forkPointFor, type Session, type SessionEvent } from 'idb-sessions'
import { page } from '../support/lifetime.js'
import { countRecords, inBrowser, type Page } from '../support/page.js'
import { allRecords } from '../support/records.js'
import { PlainLog, shapes } from '../support/shapes.js'

const SHORT = 100
const LONG = 100_000
const DEEP = 1000
const FORKS = 120
/** Loose: it catches a cost that grows with length or depth, not a slow machine. */
const AT_MOST = 3
const BYTES = 1024

test(`a fork of ${LONG} live events costs what one of ${SHORT} costs`, { timeout: 60_000 }, async () => {
  const { store } = await page()
  const short = await store.create('short', { seed: turns(SHORT) })
  const long = await store.create('long', { seed: turns(LONG) })
  expect([short.seq, long.seq]).toEqual([SHORT, LONG])
  const ratio = await compareForks('fork of 100,000 events against 100', store, long, short)
  expect(ratio).toBeLessThanOrEqual(AT_MOST)
})

test(`a fork at depth ${DEEP} costs what one at depth 1 costs`, { timeout: 60_000 }, async () => {
  const first = await page()
  const root = await first.store.create('root', { seed: turns(SHORT) })
  const shallow = await descend(first, root, 1)
  const deep = await descend(first, root, DEEP)
  const ratio = await compareForks('fork at depth 1,000 against 1', first.store, deep, shallow)
  expect(ratio).toBeLessThanOrEqual(AT_MOST)
})

test.skipIf(inBrowser)(
  `a fork at depth ${DEEP} takes under ${BYTES} bytes (Node only: a browser does not tell the size of a clone)`,
  { timeout: 60_000 },
  async () => {
    const first = await page()
    const root = await first.store.create('root', { seed: turns(SHORT) })
    const shallow = await bytesOfFork(first, await descend(first, root, 1))
    const deep = await bytesOfFork(first, await descend(first, root, DEEP))
    console.info(`bytes of one fork: at depth 1 ${shallow}, at depth 1,000 ${deep}`)
    for (const size of [shallow, deep]) expect(size).toBeLessThan(BYTES)
  },
)

test.skipIf(inBrowser)(
  `a fork of ${LONG} events takes under ${BYTES} bytes (Node only: a browser does not tell the size of a clone)`,
  { timeout: 60_000 },
  async () => {
    const first = await page()
    const long = await first.store.create('long', { seed: turns(LONG) })
    const end = await bytesOfFork(first, long)
    const middle = await bytesOfFork(first, long, forkPointFor(long.events, LONG / 2))
    const ofFork = await bytesOfFork(first, await first.store.fork(long))
    console.info(`bytes of one fork: of 100,000 events ${end}, at an earlier turn ${middle}, of a fork ${ofFork}`)
    for (const size of [end, middle, ofFork]) expect(size).toBeLessThan(BYTES)
  },
)

test(`a fork of ${LONG} stored events that are not live adds a row and a lineage`, { timeout: 60_000 }, async () => {
  const { store, name } = await page()
  const events = turns(LONG)
  await store.release(await store.create('long', { seed: events }))
  const before = await countRecords(name)
  const child = await store.fork('long')
  expect(store.get('long')).toBeUndefined()
  expect(child.seq).toBe(LONG)
  expect(child.at(LONG - 1)).toEqual(events.at(-1))
  const after = await countRecords(name)
  expect(after).toEqual({ ...before, sessions: before['sessions']! + 1, lineages: before['lineages']! + 1 })
  // The untouched child ends where its lineage does: no second record for its own fork.
  await store.fork(child)
  expect(await countRecords(name)).toEqual({ ...after, sessions: after['sessions']! + 1 })
})

/** Whole turns, `count` events in all. */
function turns(count: number): SessionEvent[] {
  const turn = new PlainLog()
  shapes.chat(turn, 8)
  const pattern = turn.events.filter(({ type }) => !type.startsWith('request/'))
  const events: SessionEvent[] = []
  for (let turn = 1; events.length + 2 * pattern.length <= count; turn++) {
    for (const event of pattern) {
      const data = { ...event.data, ...('turn' in event.data && { turn }) }
      const seq = events.length
      const { surfaceOp } = event as { surfaceOp?: 'append' }
      events.push({
        type: event.type,
        seq,
        time: event.time + seq,
        data,
        ...(surfaceOp && { surfaceOp }),
      } as SessionEvent)
    }
  }
  // The rest is one turn of small events, so that the length is exact and the end is a fork point.
  const { turn: last } = events.at(-1)!.data as { turn: number }
  const time = events.at(-1)!.time
  const fill = (type: string, data: object): void => {
    events.push({ type, seq: events.length, time, data } as SessionEvent)
  }
  fill('turn/start', { turn: last + 1 })
  while (events.length < count - 1) fill('todo/write', { todos: [] })
  fill('turn/end', { turn: last + 1, reason: { kind: 'completed' } })
  return events
}

/** A descendant of `depth` generations, each with a turn of its own. Only the last one stays live. */
async function descend({ store }: Page, root: Session, depth: number): Promise<Session> {
  let last = root
  for (let generation = 1; generation <= depth; generation++) {
    const child = await store.fork(last)
    child.append('turn/start', { turn: child.turn.next })
    child.append('turn/end', { turn: child.turn.next - 1, reason: { kind: 'completed' } })
    await store.flush(child)
    if (last !== root) await store.release(last)
    last = child
  }
  return last
}

/** Forks that an application makes and throws away, one of each in turn; the sum of the times of `a` by that of `b`. */
async function compareForks(what: string, store: Page['store'], a: Session, b: Session): Promise<number> {
  const sums = new Map([
    [a, 0],
    [b, 0],
  ])
  for (let i = -10; i < FORKS; i++) {
    for (const source of i % 2 === 0 ? [a, b] : [b, a]) {
      const start = performance.now()
      const child = await store.fork(source)
      // The first ones warm up.
      if (i >= 0) sums.set(source, sums.get(source)! + performance.now() - start)
      expect(child.seq).toBe(source.seq)
      await store.release(child)
    }
  }
  const [ofA, ofB] = [sums.get(a)!, sums.get(b)!]
  const each = (sum: number): string => `${(sum / FORKS).toFixed(2)} ms`
  console.info(`${what}: ${(ofA / ofB).toFixed(2)} × (${each(ofA)} against ${each(ofB)}, ${FORKS} forks each)`)
  return ofA / ofB
}

/** The size of what one fork adds, as structured clones. */
async function bytesOfFork({ store, name }: Page, source: Session, boundary?: number): Promise<number> {
  const { serialize } = await import('node:v8')
  const sizes = async (): Promise<Map<string, number>> => {
    const records = await allRecords(name)
    const added = new Map<string, number>()
    for (const [kind, list] of Object.entries(records)) {
      for (const record of list) added.set(`${kind} ${keyOf(record)}`, serialize(record).byteLength)
    }
    return added
  }
  const before = await sizes()
  await store.fork(source, boundary)
  let bytes = 0
  for (const [key, size] of await sizes()) if (!before.has(key)) bytes += size
  expect(bytes).toBeGreaterThan(0)
  return bytes
}

function keyOf(record: unknown): string {
  const { id, key, log, first } = record as { id?: string; key?: string; log?: string; first?: number }
  return id ?? key ?? `${log} ${first}`
}
