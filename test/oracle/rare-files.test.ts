/** What session files hold seldom, both ways: events that only their writer knows, and one row of a very long answer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SessionEvent } from 'idb-sessions'
import { packChunkRuns } from 'idb-sessions/log'
import { delta, end, fileOf, log, start, stepEnd, stepStart, title, turn, type Draft } from '../log/support.js'
import { page } from '../support/lifetime.js'
import { expectSame } from '../support/same.js'
import { missing, Oracle, valuesOf, type Operation } from './connect.mjs'

const reason = missing === undefined ? '' : ` (skipped, ${missing})`
const HEADER = { version: 0, id: 's', createdAt: 1, delegationDepth: 0 }

let oracle: Oracle

beforeAll(() => {
  if (missing === undefined) oracle = new Oracle()
})
afterAll(() => oracle?.close())

describe.skipIf(missing !== undefined)(`events of types that only DSH's own plugins know, ignorable${reason}`, () => {
  const alien = (data: unknown): Draft => ({ type: 'plugin/from-the-future', data, ignorable: true })
  // `append` cannot mark an event: it comes by a seed, as a plugin of a newer DSH would leave it.
  const seed = log(alien(null), start(1), alien({ nested: [{ a: 1 }] }), end(1), { ...alien('last'), type: 'turn' })

  /** The file that DSH writes of the seed and a turn more. */
  async function written(): Promise<{ file: string; events: SessionEvent[] }> {
    const more = log(turn(2), title('t')).map(({ seq: _seq, time: _time, type, data, ...intent }): Operation => {
      return { do: 'append', id: 's', type, data, intent }
    })
    const asked: Operation[] = [
      { do: 'flush', id: 's' },
      { do: 'file', id: 's' },
      { do: 'read', id: 's' },
    ]
    const create = { do: 'create', id: 's', seed }
    const results = valuesOf(await oracle.ask([{ do: 'reset' }, { do: 'mount' }, create, ...more, ...asked]))
    const [file, read] = results.slice(-2) as [string, { events: SessionEvent[] }]
    return { file, events: read.events }
  }

  test('are read as they are, and exported as they were', async () => {
    const { file, events } = await written()
    const { store } = await page()
    expect(await store.importLog(file)).not.toHaveProperty('dropped')
    expect((await store.inspect('s')).events).toEqual(events)
    expect(events.filter(({ ignorable }) => ignorable)).toHaveLength(3)
    expect(await new Response(await store.exportLog('s')).text()).toBe(file)
  })

  test('go on into a fork, which DSH reads', async () => {
    const { file, events } = await written()
    const { store } = await page({ rules: 'harness' })
    await store.importLog(file)
    const child = await store.fork('s', undefined, 'child')
    expect(child.slice(0, events.length)).toEqual(events)
    const text = await new Response(await store.exportLog('child')).text()
    const [read] = valuesOf(await oracle.ask([{ do: 'readFile', text }])) as [{ events: SessionEvent[] }]
    expect(read.events).toEqual(child.events)
  })
})

describe.skipIf(missing !== undefined)(`one row of 70,000 deltas, more than a call takes arguments${reason}`, () => {
  const deltas = Array.from({ length: 70_000 }, (_, i) => delta(i % 1000 === 0 ? 'ü😀\n' : ` ${i}`))
  const events = log(start(1), stepStart(1, 1), deltas, stepEnd(1, 1), end(1))
  const rowsOf = (file: string): string[] => file.split('\n').filter((line) => line.includes('"text-chunks"'))

  test('that DSH writes', async () => {
    const [file] = valuesOf(await oracle.ask([{ do: 'writeFile', header: HEADER, events }])) as [string]
    expect(rowsOf(file)).toHaveLength(1)
    const { store } = await page()
    const { session, dropped } = await store.importLog(file)
    expect({ length: session.length, dropped }).toEqual({ length: events.length, dropped: undefined })
    expectSame((await store.load('s')).slice(0, events.length), events)
  })

  test('that packChunkRuns makes, and the many that exportLog makes of it', async () => {
    const file = new TextDecoder().decode(fileOf(packChunkRuns(events)))
    expect(rowsOf(file)).toHaveLength(1)
    const { store } = await page()
    await store.importLog(file)
    for (const text of [file, await new Response(await store.exportLog('s')).text()]) {
      const [read] = valuesOf(await oracle.ask([{ do: 'readFile', text }])) as [{ events: SessionEvent[] }]
      expectSame(read.events, events)
    }
  })
})
