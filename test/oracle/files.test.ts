/** Session files both ways: the published JSONL backend goes on with ours, and this library reads what it writes. */
import fc from 'fast-check'
import type { Session, SessionEvent } from 'idb-sessions'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileOf, realLog } from '../log/support.js'
import { seed } from '../model/seed.js'
import { page } from '../support/lifetime.js'
import { newName, openPage } from '../support/page.js'
import { openShapes, PlainLog, shapes, type LogWriter, type Shape } from '../support/shapes.js'
import { missing, Oracle, valuesOf, type Operation } from './connect.mjs'
import { masked } from './values.mjs'
import vectors from './vectors.json'

const OWN = 'my/own'
const reason = missing === undefined ? '' : ` (skipped, ${missing})`

let oracle: Oracle

beforeAll(() => {
  if (missing === undefined) oracle = new Oracle()
})
afterAll(() => oracle?.close())

const known: [string, Shape][] = [
  ...Object.entries<Shape>({ ...shapes, ...openShapes }),
  ['all in a row', (log, size) => Object.values<Shape>(shapes).forEach((shape) => shape(log, size))],
]
const all: [string, Shape][] = [...known, ['events of an application', note]]

describe.skipIf(missing !== undefined)(`DSH lists, loads and continues what exportLog writes${reason}`, () => {
  test.each(all)('%s', async (_name, write) => {
    const { store } = await page({ rules: 'harness', eventTypes: [OWN] })
    const session = await store.create('ours', { meta: { cwd: '/home/me', agentPreset: 'a' } })
    write(session, 5)
    await expectContinued(session, await exported(store, 'ours'))
  })

  test.each(['rfc', 'harness'] as const)("forks, under rules '%s'", async (rules) => {
    const { store } = await page({ rules })
    const session = await store.create('parent', { meta: { cwd: '/home/me' } })
    for (const name of ['chat', 'packedChunks', 'blocked'] as const) shapes[name](session, 4)
    for (const { seq } of await store.forkPoints('parent')) {
      const child = await store.fork(session, seq, `child/${seq} é`)
      await expectContinued(child, await exported(store, child.id))
    }
    await expectContinued(
      await store.fork(await store.create('empty'), undefined, 'of nothing'),
      await exported(store, 'of nothing'),
    )
  })

  test('a log that was read from a file without chunk rows, grew, and was forked inside a run of chunks', async () => {
    const { store } = await page({ rules: 'harness' })
    await store.importLog(new Blob([fileOf(log('packedChunks')) as Uint8Array<ArrayBuffer>]))
    const session = await store.load('s')
    shapes.chat(session, 3)
    await expectContinued(session, await exported(store, 's'))
    await expectContinued(await store.fork(session, undefined, 'child'), await exported(store, 'child'))
  })

  test('what a page closed after a crash', async () => {
    const name = newName()
    const first = await openPage({ name })
    const session = await first.store.create('s')
    openShapes.calling(session, 3)
    await first.store.flush(session)
    first.connection.end(new Error('a crash'))
    const { store } = await page({ name })
    await expectContinued(await store.load('s'), await exported(store, 's'))
  })
})

describe.skipIf(missing !== undefined)(`this library reads what DSH writes${reason}`, () => {
  describe.each([true, false])('with chunk rows: %s', (packChunks) => {
    test.each(known)('%s', async (_name, write) => {
      const events = log(write)
      const results = await ask([
        { do: 'mount', options: { packChunks } },
        { do: 'create', id: 'theirs', meta: { cwd: '/home/me', delegationDepth: 1 } },
        ...events.map(({ type, data, seq: _seq, time: _time, ...intent }) => ({
          do: 'append',
          id: 'theirs',
          type,
          data,
          intent,
        })),
        { do: 'flush', id: 'theirs' },
        { do: 'file', id: 'theirs' },
        { do: 'read', id: 'theirs' },
      ])
      const [file, read] = results.slice(-2)
      const { store } = await page()
      const { session, dropped } = await store.importLog(file as string)
      expect(dropped).toBeUndefined()
      expect(session.length).toBe(events.length)
      const loaded = await store.load('theirs')
      expect(loaded.slice(0, events.length)).toEqual((read as Session).events)
      expect((await exported(store, 'theirs')).slice(0, (file as string).length)).toBe(file)
    })
  })

  test('forks', async () => {
    const events = log('chat', 'packedChunks', 'blocked')
    const ends = events.filter(({ type }) => type === 'turn/end').map(({ seq }) => seq)
    await ask([{ do: 'mount' }, { do: 'create', id: 'p', seed: events, meta: { cwd: '/w' } }])
    for (const boundary of [...ends, undefined]) {
      const child = `child/${boundary}`
      const [view, , file] = await oracle
        .ask([
          { do: 'fork', source: 'p', child, boundary },
          { do: 'flush', id: child },
          { do: 'file', id: child },
        ])
        .then(valuesOf)
      const { store } = await page({ rules: 'harness' })
      await store.importLog(file as string)
      const { header, events } = await store.inspect(child)
      expect(header).toEqual({ ...(view as Session).header, delegationDepth: 0 })
      expect(events).toEqual((view as Session).events)
    }
  })

  const torn = 200
  test(`files that are torn anywhere, like DSH itself: ${torn} random ones`, { timeout: 60_000 }, async () => {
    const property = fc.asyncProperty(
      realLog,
      fc.nat(),
      fc.constantFrom('', 'x', '\n', '{"type":"turn/end"'),
      async (events, cut, rest) => {
        const [whole] = await oracle
          .ask([
            {
              do: 'writeFile',
              header: { version: 0, id: 's', createdAt: 1 },
              events: events.length > 0 ? events : log('blocked'),
            },
          ])
          .then(valuesOf)
        const bytes = Buffer.from(whole as string)
        const header = bytes.indexOf(10) + 1
        const base64 = Buffer.concat([
          bytes.subarray(0, header + (cut % (bytes.length - header + 1))),
          Buffer.from(rest),
        ]).toString('base64')
        const [theirs] = await oracle.ask([{ do: 'readFile', base64 }])
        const opened = await openPage()
        try {
          const { session, dropped } = await opened.store.importLog(new Blob([Buffer.from(base64, 'base64')]))
          const { header, events } = await opened.store.inspect(session.header.id)
          expect(masked({ value: { header, events, ...(dropped && { dropped: dropped.line }) } })).toEqual(theirs)
        } finally {
          opened.connection.end(new Error('done'))
        }
      },
    )
    await fc.assert(property, { seed, numRuns: torn })
  })

  test('a compressed file, once it is decompressed as the error says', async () => {
    const [base64] = (
      await ask([
        { do: 'mount', options: { compression: 'zstd' } },
        { do: 'create', id: 'z', seed: log('chat') },
        { do: 'flush', id: 'z' },
        { do: 'compressedFile', id: 'z' },
      ])
    ).slice(-1)
    const { store } = await page()
    const importing = store.importLog(new Blob([Buffer.from(base64 as string, 'base64')]))
    await expect(importing).rejects.toMatchObject({
      code: 'FORMAT_UNSUPPORTED',
      message: expect.stringContaining('zstd -d') as string,
    })
    const [text] = await oracle.ask([{ do: 'decompress', base64 }]).then(valuesOf)
    expect((await store.importLog(text as string)).session.header.id).toBe('z')
  })
})

describe.skipIf(missing !== undefined)(
  `a file that both read says the same after it went through this library${reason}`,
  () => {
    const files = vectors.filter(
      ({ subject, steps }) => subject === 'files' && 'value' in steps[0]!.dsh && !('differs' in steps[0]!),
    )
    test.each(files.map(({ name, steps }) => ({ name, step: steps[0]! })))('$name', async ({ step }) => {
      const { text, base64 } = step.op as { text?: string; base64?: string }
      const { store } = await page()
      const { session } = await store.importLog(new Blob([text ?? Buffer.from(base64!, 'base64')]))
      const [again] = await oracle
        .ask([{ do: 'readFile', text: await exported(store, session.header.id) }])
        .then(valuesOf)
      const { dropped: _dropped, ...read } = (step.dsh as { value: { dropped?: number } }).value
      expect(again).toEqual(read)
    })
  },
)

/** DSH lists the file, reads it as we do, and writes a turn more, which we read. */
async function expectContinued(session: Session, file: string): Promise<void> {
  const { id, header } = session
  const turn = log('blocked', 'title')
  const [, , , list, inspected, resumed, ...rest] = await ask([
    { do: 'mount' },
    { do: 'place', text: file },
    { do: 'stored' },
    { do: 'inspect', id },
    { do: 'resume', id },
    ...turn.map(({ type, data }) => ({ do: 'append', id, type, data })),
    { do: 'flush', id },
    { do: 'read', id },
    { do: 'file', id },
  ])
  expect(list).toEqual([id])
  const { store } = await page({ eventTypes: [OWN] })
  await store.importLog(file)
  const ours = await store.inspect(id)
  expect(inspected).toEqual(masked({ meta: { delegationDepth: 0, ...header }, events: ours.events }))
  expect((resumed as Session).events.slice(0, ours.events.length)).toEqual(masked(ours.events))

  const [read, continued] = rest.slice(-2) as [Session, string]
  await store.importLog(continued, { id: 'continued' })
  expect(masked((await store.inspect('continued')).events)).toEqual(read.events)
  await store.close()
}

function log(...parts: (Shape | keyof typeof shapes)[]): SessionEvent[] {
  const plain = new PlainLog()
  for (const part of parts) (typeof part === 'string' ? shapes[part] : part)(plain, 5)
  return plain.events
}

function note(log: LogWriter): void {
  shapes.chat(log, 1)
  ;(log as unknown as { append(type: string, data: object): void }).append(OWN, { nested: [{ a: null }] })
  shapes.blocked(log)
}

async function exported(
  store: { exportLog(id: string): Promise<ReadableStream<Uint8Array>> },
  id: string,
): Promise<string> {
  return new Response(await store.exportLog(id)).text()
}

/** The operations in a new world, whose clock stands still; what they gave, from the reset on. */
async function ask(operations: readonly Operation[]): Promise<unknown[]> {
  return valuesOf(await oracle.ask([{ do: 'reset' }, ...operations]))
}
