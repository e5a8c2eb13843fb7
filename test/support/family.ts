/** A family and a stranger, stored and live nowhere, and what damages what is not the stranger's. */
import { openDB } from 'idb'
import { log, turn, user } from '../log/support.js'
import { openPage, type Page } from './page.js'

const TURNS = [turn(1, user('1')), turn(2, user('2')), turn(3, user('3'))]
/** What each of the three holds: three turns of three events. */
export const EVENTS = log(...TURNS)
/** Where the turns of `a`, and so its segments, begin. */
export const STARTS = [0, 3, 6]

/** `a` of three turns and a segment each, `b` forked from it after two, with a third of its own, and `c`. */
export async function family(): Promise<Page> {
  const page = await openPage()
  const { store } = page
  const a = await store.create('a')
  for (const i of STARTS) await grow(page, a, i)
  await grow(page, await store.fork('a', 5, 'b'), 6)
  await store.create('c', { seed: EVENTS })
  await store.close()
  return page
}

async function grow({ store }: Page, session: Awaited<ReturnType<Page['store']['load']>>, from: number): Promise<void> {
  for (const { type, data } of EVENTS.slice(from, from + 3)) {
    session.append(type, data, ...((type === 'user/message' ? [{ surfaceOp: 'append' }] : []) as never))
  }
  await store.flush(session)
}

export type AnyRecord = Record<string, unknown>

/** Changes every record of a kind that is not `c`'s; undefined: it is lost. */
export async function spoil(
  name: string,
  kind: string,
  change: (record: AnyRecord) => AnyRecord | undefined,
): Promise<void> {
  const db = await openDB(name)
  const { log: others } = (await db.get('sessions', 'c')) as { log: string }
  for (const key of await db.getAllKeys(kind)) {
    const record = (await db.get(kind, key)) as AnyRecord
    if (record['log'] === others) continue
    const changed = change(structuredClone(record))
    await db.delete(kind, key)
    if (changed !== undefined) await db.put(kind, changed)
  }
  db.close()
}
