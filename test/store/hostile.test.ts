/** Records that are missing, or in which something has a wrong type: whatever stands there, only the sessions that need it suffer. */
import { SessionForkError, SessionStoreError, type SessionEvent, type SessionStore } from 'idb-sessions'
import { decodeStorageRecord } from 'idb-sessions/log'
import { describe, expect, onTestFinished, test } from 'vitest'
import { EVENTS, family, spoil } from '../support/family.js'
import { inBrowser, openPage } from '../support/page.js'

const FIELDS = {
  sessions: ['header', 'log', 'base', 'lineage', 'length', 'epoch', 'summary', 'title'],
  lineages: ['start', 'logs', 'ends', 'up'],
  segments: ['first', 'count', 'bytes', 'sum', 'original', 'own', 'before', 'starts', 'ends'],
}
const SOME = [undefined, null, 6, 'a', {}]
// A page in a browser costs far more than one in Node.
const VALUES = inBrowser ? SOME : [...SOME, true, -1, 0, 1.5, NaN, 2 ** 53, '', [], [1], ['a'], new Uint8Array(3)]

function isTyped(error: unknown): boolean {
  return error instanceof SessionStoreError || error instanceof SessionForkError
}

const bare = (events: readonly SessionEvent[]): unknown[] => events.map(({ type, data }) => ({ type, data }))

async function expectStanding(name: string): Promise<void> {
  const { store, connection } = await openPage({ name })
  onTestFinished(() => connection.end(new Error('the test is over')))
  const outsider = async (): Promise<void> => {
    expect((await store.stored()).filter(({ header }) => header.id === 'c')).toMatchObject([{ length: 9, own: 9 }])
    expect((await store.inspect('c')).events).toEqual(EVENTS)
    expect(await store.branches('c')).toEqual([])
  }
  await outsider()
  for (const id of ['a', 'b']) await expectReadable(store, id)
  await new Promise<void>((loaded) => {
    const done = (): void => void (store.index.current.some(({ header }) => header.id === 'c') && loaded())
    store.index.subscribe(done)
    done()
  })
  expect(await store.delete(['a', 'b'])).toMatchObject([{ id: 'a' }, { id: 'b' }])
  expect((await store.stored()).map(({ header }) => header.id)).toEqual(['c'])
  await outsider()
}

/** Each call answers or rejects with a typed error, and what it gives is the beginning of what was stored. */
async function expectReadable(store: SessionStore, id: string): Promise<void> {
  const calls = [
    store.inspect(id).then(({ events }) => expect(bare(EVENTS).slice(0, events.length)).toEqual(bare(events))),
    store.forkPoints(id),
    store.branches(id),
    store.compare(id, 'c'),
    store.setTitle(id, 't'),
    store.exportLog(id).then(async (stream) => {
      const [, ...lines] = (await new Response(stream).text()).trimEnd().split('\n')
      const events = lines.flatMap((line) => decodeStorageRecord(JSON.parse(line)))
      // Stored bytes are exported as they are: whoever imports them finds a gap.
      const gap = events.findIndex(({ seq }, i) => seq !== i)
      expect(bare(EVENTS).slice(0, gap < 0 ? events.length : gap)).toEqual(
        bare(gap < 0 ? events : events.slice(0, gap)),
      )
    }),
    store.fork(id, 2).then(async (child) => {
      expect(bare(child.events)).toEqual(bare(EVENTS).slice(0, 3))
      await store.delete(child.id)
    }),
    store.load(id).then((session) => store.release(session)),
  ]
  for (const outcome of await Promise.allSettled(calls)) {
    if (outcome.status === 'rejected' && !isTyped(outcome.reason)) throw outcome.reason
    const { readable } = outcome.status === 'rejected' ? (outcome.reason as { readable?: number }) : {}
    if (readable === undefined || readable < 3) continue
    const child = await store.fork(id, 2)
    expect(bare(child.events)).toEqual(bare(EVENTS).slice(0, 3))
    await store.delete(child.id)
  }
}

describe.each(Object.entries(FIELDS))('records of %s', (kind, fields) => {
  test('that are missing', async () => {
    const { name } = await family()
    await spoil(name, kind, () => undefined)
    await expectStanding(name)
  })

  describe.each(fields)('in which %s', (field) => {
    const isKey = field === 'first'
    test.each(VALUES.filter((value) => !isKey || typeof value === 'string' || Number(value) === value))(
      'is %s',
      async (value) => {
        const { name } = await family()
        await spoil(name, kind, (record) => {
          if (value !== undefined) return { ...record, [field]: value }
          delete record[field]
          return record
        })
        await expectStanding(name)
      },
    )
  })
})
