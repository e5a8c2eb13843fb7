/** Faults that real products had (`faults.md`), and inputs that would show them here: large logs, and what is done to keep them small. */
import type { SessionEvent } from 'idb-sessions'
import { foldSurface } from 'idb-sessions/log'
import { describe, expect, test } from 'vitest'
import { assistant, end, log, replacing, result, start, toolCall, turn, user, type Draft } from '../log/support.js'
import { page } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import type { Page } from '../support/page.js'
import { segments, storedEvents } from '../support/records.js'
import { append, exported, reread } from './support.js'

/** A session `a` whose turns are stored in a segment each, which are then merged into few. */
async function merged(turns: readonly (readonly Draft[])[]) {
  const opened = await page()
  const session = await opened.store.create('a')
  for (const drafts of turns) {
    for (const draft of drafts) append(session, draft)
    await opened.store.flush(session)
  }
  const before = { events: session.events, points: await opened.store.forkPoints('a') }
  expect(await opened.connection.call('merge', 'a')).toBeGreaterThan(0)
  return { ...opened, ...before }
}

/** Turns of three events. */
const TURNS = Array.from({ length: 12 }, (_, i) => turn(i + 1, user(`prompt ${i + 1}`)))

describe('positional reference outlives renumbering (fault 23)', () => {
  test('after the segments of a log were merged, its fork points are those from before', async () => {
    const { store, points } = await merged(TURNS)
    expect(await store.forkPoints('a')).toEqual(points)
  })

  test('a boundary that was kept from before takes the same events', async () => {
    const { store, points, events } = await merged(TURNS)
    for (const { seq } of points) expect((await store.fork('a', seq)).events).toEqual(events.slice(0, seq + 1))
  })
})

describe('fold over the tail instead of the full history (fault 24)', () => {
  /** `b` inherits a merged log of `a`, of which the first turns were compacted into one message, and goes on. */
  async function across() {
    const compacted = replacing(user('in short'), 1, 4, [1, 4])
    const opened = await merged([...TURNS, [start(13), compacted, end(13)]])
    const child = await opened.store.fork('a', undefined, 'b')
    appendTurn(child, 'after the seam', 'yes')
    const { events } = child
    await opened.store.delete('a')
    return { ...opened, events, child: await reread(opened, 'b') }
  }

  test('a log that is read anew has the surface of all of it', async () => {
    const { child, events } = await across()
    expect(child.surface.nodes).toEqual(foldSurface(events).nodes)
    expect(child.messages[0]).toMatchObject({ content: [{ text: 'in short' }] })
  })

  test('a fork before the seam has what was there, and nothing of what came after', async () => {
    const { store, events } = await across()
    const early = await store.fork('b', 5)
    expect(early.events).toEqual(events.slice(0, 6))
    expect(early.messages).toHaveLength(2)
  })
})

describe('binary inline in the log, no byte budget (fault 55)', () => {
  test(
    '76 results of 2 MB each: opened, listed, forked and exported, each in bounded time',
    { timeout: 120_000 },
    async () => {
      const opened = await page()
      const { store } = opened
      const session = await store.create('a')
      const image = `data:image/png;base64,${'A'.repeat(2_000_000)}`
      append(session, start(1))
      append(session, assistant(Array.from({ length: 76 }, (_, i) => toolCall(`c${i}`))))
      for (let i = 0; i < 76; i++) append(session, result(`c${i}`, image))
      append(session, end(1))
      const took = await time({
        flush: () => store.flush(session),
        list: () => store.stored(),
        fork: () => store.fork(session),
        export: async () => expect((await exported(store, 'a')).length).toBeGreaterThan(76 * 2_000_000),
        open: async () => expect((await reread(opened, 'a')).seq).toBe(79),
      })
      // Lists and forks read no log.
      expect(took).toMatchObject({ list: expect.toSatisfy(under(1000)), fork: expect.toSatisfy(under(1000)) })
      expect(took).toMatchObject({ flush: expect.toSatisfy(under(30_000)), open: expect.toSatisfy(under(30_000)) })
      expect(took['export']).toBeLessThan(30_000)
    },
  )
})

describe('copying fork (fault 57)', () => {
  /** About 25 MB in turns of 100 kB. */
  function large(): SessionEvent[] {
    return log(Array.from({ length: 250 }, (_, i) => [start(i + 1), user('x'.repeat(100_000)), end(i + 1)]).flat())
  }

  test(
    '50 nested forks of 25 MB store no event again, and the last costs what the first did',
    { timeout: 120_000 },
    async () => {
      const opened = await page()
      let last = await opened.store.create('a', { seed: large() })
      const before = { events: await storedEvents(opened), bytes: await storedBytes(opened) }
      const times: number[] = []
      for (let i = 0; i < 50; i++) {
        const begin = performance.now()
        last = await opened.store.fork(last)
        times.push(performance.now() - begin)
        append(last, { type: 'todo/write', data: { todos: [] } })
        append(last, start(251 + i))
        append(last, end(251 + i))
      }
      await opened.store.flush(last)
      expect(await storedEvents(opened)).toBeLessThanOrEqual(before.events + 150)
      expect(await storedBytes(opened)).toBeLessThan(before.bytes + 50_000)
      expect(median(times.slice(-10))).toBeLessThan(median(times.slice(0, 10)) * 5 + 5)
    },
  )
})

async function storedBytes({ name }: Page): Promise<number> {
  return (await segments(name)).reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
}

/** What each task took, ms, one after another. */
async function time(tasks: Record<string, () => unknown>): Promise<Record<string, number>> {
  const took: Record<string, number> = {}
  for (const [name, task] of Object.entries(tasks)) {
    const begin = performance.now()
    await task()
    took[name] = performance.now() - begin
  }
  return took
}

const under = (limit: number) => (value: unknown) => (value as number) < limit

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}
