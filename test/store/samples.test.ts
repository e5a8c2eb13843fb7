/** Real logs, and logs of the same shapes: each goes in, forks at every fork point, comes out as it was, and survives a reload. */
import { expect, test } from 'vitest'
import { interruptedTurnClosers, type SessionEvent } from 'idb-sessions'
import { decodeStorageRecord, packChunkRuns } from 'idb-sessions/log'
import { endsOf, messagesOf } from '../model/model.js'
import { page, tab } from '../support/lifetime.js'
import { inBrowser, type Page } from '../support/page.js'
import { expectSame } from '../support/same.js'
import { openShapes, PlainLog, shapes, type Shape } from '../support/shapes.js'

const FOLDER = '../shared/samples/dsh'
const SAMPLES = 12

const SURFACE = ['user/message', 'assistant/message', 'tool/result']
const HEADER =
  '{"type":"session","version":0,"id":"of-a-shape","createdAt":1783952000000,"cwd":"/home/me","delegationDepth":0}'

const samples = await readSamples()

test.skipIf(samples.length === 0)(`the sample logs of DSH are all there (in Node only, and with ${FOLDER})`, () => {
  expect(samples).toHaveLength(SAMPLES)
})

for (const { name, file } of samples) test(`${name}: stored, forked and read as it is`, () => expectKept(file))

for (const [name, shape] of Object.entries<Shape>({ ...shapes, ...openShapes })) {
  for (const size of [0, 25]) {
    test(`a log of the shape ${name}, size ${size}: stored, forked and read as it is`, () => {
      const log = new PlainLog()
      shape(log, size)
      return expectKept(fileOf(log.events))
    })
  }
}

test('a log of all shapes in a row: stored, forked and read as it is', () => {
  const log = new PlainLog()
  for (const shape of Object.values<Shape>(shapes)) for (const size of [1, 5]) shape(log, size)
  return expectKept(fileOf(log.events))
})

test('a log of all shapes that was never packed: stored, forked and read as it is', () => {
  const log = new PlainLog()
  for (const shape of Object.values<Shape>(shapes)) shape(log, 3)
  return expectKept([HEADER, ...log.events.map((event) => JSON.stringify(event)), ''].join('\n'))
})

test('an imported log that grew and was merged keeps its bytes', async () => {
  const log = new PlainLog()
  shapes.packedChunks(log, 3)
  const file = [HEADER, ...log.events.map((event) => JSON.stringify(event)), ''].join('\n')
  const { store, connection } = await page()
  await store.importLog(file)
  const session = await store.load('of-a-shape')
  for (let i = 0; i < 10; i++) {
    shapes.chat(session, 5)
    await store.flush(session)
  }
  expect(await connection.call('merge', session.id)).toBeGreaterThan(0)
  const exported = await new Response(await store.exportLog(session.id)).text()
  expect(exported.slice(0, file.length)).toBe(file)
  expectSame((await store.inspect(session.id)).events, session.events)
})

test('a log of many segments: stored, forked and read as it is', () => {
  const log = new PlainLog()
  for (let i = 0; i < 12; i++) shapes.packedChunks(log, 60)
  return expectKept(fileOf(log.events))
})

function fileOf(events: readonly SessionEvent[]): string {
  return [HEADER, ...packChunkRuns(events).map((record) => JSON.stringify(record)), ''].join('\n')
}

async function expectKept(file: string): Promise<void> {
  const [header, ...lines] = file.trimEnd().split('\n')
  const { type: _type, ...stored } = JSON.parse(header!) as { type: string; id: string }
  const written = lines.flatMap((line) => decodeStorageRecord(JSON.parse(line)))
  const events = written.map((event) => upgraded(event, stored.id))
  const first = await page()

  const { session, dropped } = await first.store.importLog(file)
  expect(dropped).toBeUndefined()
  expect(session).toMatchObject({ header: stored, length: events.length })
  await expectReads(first, stored.id, events, file)

  const forks = new Map<string, SessionEvent[]>()
  for (const { seq } of endsOf(events)) {
    const fork = await first.store.fork(stored.id, seq)
    expectSame(fork.events, events.slice(0, seq + 1))
    forks.set(fork.id, events.slice(0, seq + 1))
  }
  await first.store.close()

  const reloaded = await tab(first)
  await expectReads(reloaded, stored.id, events, file)
  expectSame((await reloaded.store.load(stored.id)).deriveMessages(), messagesOf(withClosers(events)))
  for (const [id, prefix] of forks) expectSame((await reloaded.store.inspect(id)).events, prefix)
}

/** All that reading gives: events with closers, fork points, and the file, byte for byte. */
async function expectReads({ store }: Page, id: string, events: SessionEvent[], file: string): Promise<void> {
  const inspected = await store.inspect(id)
  const whole = withClosers(events)
  expectSame(inspected.events, whole)
  expect(await store.forkPoints(id)).toEqual(endsOf(events))
  // Exact to the byte: nothing is replaced or dropped when it is decoded.
  const exported = await new Response(await store.exportLog(id)).arrayBuffer()
  expect(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(exported)).toBe(file)
}

function withClosers(events: SessionEvent[]): SessionEvent[] {
  return [...events, ...interruptedTurnClosers(events)]
}

/** An event as it has to be read when DSH wrote it in an older shape: `spec` 6.8. Its file stays as it came. */
function upgraded(event: SessionEvent, session: string): SessionEvent {
  const given = event.data as unknown as Record<string, unknown>
  const isMessage = SURFACE.includes(event.type) && given['id'] === undefined && given['message'] === undefined
  const isTurn = event.type === 'turn/start' && given['trigger'] !== undefined
  if (!isMessage && !isTurn) return event
  const { content, source, provenance, callId, isError, trigger: _trigger, ...rest } = given
  const id = `legacy-message:${session}:${event.seq}`
  const block = { type: 'tool-result', toolCallId: callId, content, isError }
  const data: Record<string, unknown> = {
    'turn/start': rest,
    'user/message': { content, source, id, role: 'user' },
    'assistant/message': {
      ...rest,
      message: { id, role: 'assistant', content, source: { ...(provenance as object), kind: 'model' } },
    },
    'tool/result': { ...rest, message: { id, role: 'user', content: [block], source: { kind: 'tool', callId } } },
  }
  return { ...event, data: data[event.type] } as unknown as SessionEvent
}

async function readSamples(): Promise<{ name: string; file: string }[]> {
  if (inBrowser) return []
  const { existsSync, readdirSync, readFileSync } = await import('node:fs')
  if (!existsSync(FOLDER)) return []
  return readdirSync(FOLDER).map((name) => ({ name, file: readFileSync(`${FOLDER}/${name}`, 'utf8') }))
}
