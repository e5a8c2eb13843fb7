/** Everything a page writes, from a database with a few sessions on, as small as it can be. For faults at every step of it. */
import { delta, fileOf, log, start, stepStart, turn, user } from '../log/support.js'
import { page, tab } from './lifetime.js'
import type { Page } from './page.js'
import { allRecords } from './records.js'
import type { SessionRow } from '../../worker/records.js'

export interface Act {
  /** What is there before, beside `a`, its fork `b` and `c`. */
  prepare?: (page: Page) => Promise<unknown>
  act: (page: Page) => Promise<unknown>
}

const text = (size: number): string => 'x'.repeat(size)
const OTHER = log(turn(1), turn(2))
/** More than one transaction writes. */
const LARGE = log(...Array.from({ length: 3 }, (_, i) => turn(i + 1, user(`${i}${text(500_000)}`))))
const file = (events: ReturnType<typeof log>): Blob => new Blob([fileOf(events) as Uint8Array<ArrayBuffer>])

/** Each stored by a transaction of its own, so that a merge has something to do. */
async function stream({ store }: Page, id: string): Promise<void> {
  const session = await store.load(id)
  for (const { type, data } of log(start(3), stepStart(3, 1), delta('x'), delta('y'))) {
    session.append(type, data)
    await store.flush(session)
  }
  await store.release(session)
}

export const WRITES: Record<string, Act> = {
  'create with a seed': { act: ({ store }) => store.create('new', { seed: OTHER }) },
  'create of a reservation': { act: ({ store }) => store.create('new') },
  'create with a seed too large for one transaction': { act: ({ store }) => store.create('new', { seed: LARGE }) },
  'fork at the end': { act: ({ store }) => store.fork('a', 5, 'new') },
  'fork inside a segment': { act: ({ store }) => store.fork('a', 2, 'new') },
  'fork inside the inherited prefix': { act: ({ store }) => store.fork('b', 2, 'new') },
  'load that closes a turn': { prepare: (page) => stream(page, 'a'), act: ({ store }) => store.load('a') },
  'append and flush': {
    act: async ({ store }) => {
      const session = await store.load('b')
      session.append('turn/start', { turn: 9 })
      session.append('turn/end', { turn: 9, reason: { kind: 'completed' } })
      await store.flush(session)
    },
  },
  'a title': { act: ({ store }) => store.setTitle('b', 'new title') },
  merge: {
    prepare: (page) => stream(page, 'a'),
    act: async ({ connection }) => void (await connection.call('merge', 'a')),
  },
  'import of a small file': { act: ({ store }) => store.importLog(file(OTHER), { id: 'new' }) },
  'import of a file too large for one transaction': {
    act: ({ store }) => store.importLog(file(LARGE), { id: 'new' }),
  },
  'delete of a parent, which its fork outlives': { act: ({ store }) => store.delete('a') },
  'delete of a fork': { act: ({ store }) => store.delete('b') },
  'delete of a family and of a stranger': { act: ({ store }) => store.delete(['a', 'b', 'c']) },
  'release of a reservation': {
    act: async ({ store }) => {
      const session = await store.create('new')
      await store.release(session)
    },
  },
}

export const READS: Record<string, Act> = {
  stored: { act: ({ store }) => store.stored() },
  inspect: { act: ({ store }) => store.inspect('b') },
  forkPoints: { act: ({ store }) => store.forkPoints('b') },
  branches: { act: ({ store }) => store.branches('a') },
  compare: { act: ({ store }) => store.compare('a', 'b') },
  export: { act: async ({ store }) => new Response(await store.exportLog('b')).text() },
}

/** A page on a database with `a` of two turns, its fork `b` at the first, with two turns of its own, and `c`. */
export async function prepared({ prepare }: Act): Promise<Page> {
  const opened = await page()
  const { store, connection } = opened
  await store.create('a', { seed: OTHER })
  const fork = await store.fork('a', 2, 'b')
  fork.append('turn/start', { turn: 2 })
  fork.append('turn/end', { turn: 2, reason: { kind: 'completed' } })
  await store.create('c', { seed: OTHER })
  for (const session of store.list()) await store.release(session)
  await prepare?.(opened)
  // What an open does by itself is done.
  await connection.call('ping')
  return opened
}

/** What a page that opens the database now can see. */
export async function seen(from: Page): Promise<object> {
  const { store, connection } = await tab(from)
  const rows = await store.stored()
  const logs = await Promise.all(rows.map(({ header }) => store.inspect(header.id)))
  connection.end(new Error('seen'))
  return { rows, logs }
}

/** How many records of each kind there are. Reservations of dead pages are freed where there are Web Locks. */
export async function kept({ name }: Page): Promise<Record<string, number>> {
  const { sessions, ...rest } = await allRecords(name)
  const listed = (sessions as SessionRow[]).filter(({ reserved }) => reserved === undefined)
  return Object.fromEntries(Object.entries({ ...rest, sessions: listed }).map(([kind, { length }]) => [kind, length]))
}
