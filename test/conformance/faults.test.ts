/** Faults that real products had (`faults.md`), and inputs that would show them here: where a fork ends, what it holds, whose it is. */
import { describe, expect, test } from 'vitest'
import { forkPointFor, type Session, type SessionEvent } from 'idb-sessions'
import {
  assistant,
  log,
  requestHeader,
  result,
  start,
  stepStart,
  T0,
  title,
  turn,
  user,
  type Draft,
} from '../log/support.js'
import { page } from '../support/lifetime.js'
import { countRecords, type Page } from '../support/page.js'
import { segments } from '../support/records.js'
import { append, clock, exported, live, reread, types } from './support.js'

const RFC = { rules: 'rfc' } as const
const FIVE = [turn(1), turn(2), turn(3), turn(4), turn(5)]

describe('cut applied to one stream but not the other, timestamps rewritten (fault 1)', () => {
  test('a fork at an early turn holds the bytes of the prefix, times too, and nothing more', async () => {
    const { store, session } = await live(FIVE, RFC)
    await store.fork(session, 5, 'b')
    const [, ...source] = (await exported(store, 'a')).split('\n')
    const [, ...child] = (await exported(store, 'b')).split('\n')
    expect(child).toEqual([...source.slice(0, 6), ''])
  })
})

describe('view index used as log index (fault 2)', () => {
  const hidden = (n: number): Draft[] => [title(`${n}`), user(`${n}`), assistant([]), assistant(`answer ${n}`)]
  const turns = [turn(1, ...hidden(1)), title('between'), turn(2, ...hidden(2)), turn(3, ...hidden(3))]

  test.each([0, 1, 2])('a fork at visible prompt %s ends with the answer to it', async (k) => {
    const { store, session } = await live(turns, RFC)
    const prompts = session.messages.filter(({ role }) => role === 'user')
    const seq = session.events.findIndex(({ data }) => data === prompts[k])
    const child = await store.fork(session, forkPointFor(session.events, seq))
    expect(child.messages).toEqual(session.messages.slice(0, 2 * (k + 1)))
  })
})

describe('fractional anchor, silent rejection (fault 3)', () => {
  const anchors = [12.1, NaN, -1, Infinity, '12', 2 ** 53, null]

  test.each(anchors)('%s is refused out loud', async (boundary) => {
    const { store, session } = await live(FIVE, RFC)
    const refusal = { name: 'SessionForkError', code: 'INVALID_BOUNDARY' }
    await expect(store.fork(session, boundary as never)).rejects.toMatchObject(refusal)
  })

  test.each(anchors)('%s makes nothing', async (boundary) => {
    const { opened, store, session } = await live(FIVE, RFC)
    await store.flush(session)
    const before = await countRecords(opened.name)
    await expect(store.fork(session, boundary as never)).rejects.toThrow()
    expect(await countRecords(opened.name)).toEqual(before)
  })
})

describe('exclusive bound, end point unreachable (fault 4)', () => {
  test('the very last event is a boundary, and in the child', async () => {
    const { store, session } = await live(FIVE, RFC)
    expect((await store.fork(session, session.seq - 1)).events).toEqual(session.events)
  })

  test('the very first event is one too', async () => {
    const { store, session } = await live([title('t'), turn(1)])
    expect((await store.fork(session, 0)).slice(0, -1)).toEqual(session.slice(0, 1))
  })

  test('an empty session has a fork', async () => {
    const { store, session } = await live([], RFC)
    expect((await store.fork(session)).events).toEqual([])
  })
})

describe('current session swapped under an asynchronous writer (fault 8)', () => {
  async function swapped() {
    const { store, session } = await live([turn(1), start(2), stepStart(2, 1)], RFC)
    let current = session
    const late = (): SessionEvent => append(session, result('c', 'late', { turn: 2 }))
    current = await store.fork(current, 2)
    return { session, child: current, event: late() }
  }

  test('a late result goes to the session that made the call', async () => {
    const { session, event } = await swapped()
    expect(session.events.at(-1)).toBe(event)
  })

  test('the fork that took its place gets nothing', async () => {
    const { child } = await swapped()
    expect(types(child)).toEqual(['turn/start', 'user/message', 'turn/end'])
  })
})

describe('header value used where a later event overrides it (fault 12)', () => {
  const selected = (agentPreset: string): Draft => ({ type: 'agent-preset/selected', data: { agentPreset } })
  const seed = log(turn(1, selected('b')), turn(2, selected('c')))
  const lastPreset = ({ header, events }: Session): unknown =>
    events.findLast(({ type }) => type === 'agent-preset/selected')?.data ?? header.agentPreset

  test('the child has what was chosen last before its boundary', async () => {
    const { store } = await page()
    await store.create('a', { seed, meta: { agentPreset: 'a' } })
    expect(lastPreset(await store.fork('a', 2))).toEqual({ agentPreset: 'b' })
  })

  test('the child has no preset in its header', async () => {
    const { store } = await page()
    await store.create('a', { seed, meta: { agentPreset: 'a' } })
    expect((await store.fork('a', 2)).header).not.toHaveProperty('agentPreset')
  })
})

describe('live handle copied as data, or field not inherited (faults 27 and 28)', () => {
  const bound = {
    origin: 'subagent',
    delegationDepth: 2,
    agentPreset: 'x',
    parentSession: 'p',
    seedLength: 1,
    createdAt: 5,
  } as const

  test.each(['origin', 'delegationDepth', 'agentPreset'] as const)('a fork has no %s', async (field) => {
    const { store } = await page()
    await store.create('a', { seed: log(turn(1)), meta: bound })
    expect((await store.fork('a')).header).not.toHaveProperty(field)
  })

  test.each(['parentSession', 'seedLength', 'createdAt'] as const)('a fork has %s of its own', async (field) => {
    const { store } = await page()
    await store.create('a', { seed: log(turn(1)), meta: bound })
    expect((await store.fork('a')).header[field]).not.toBe(bound[field])
  })

  test('a fork has the working directory of its source', async () => {
    const { store, session } = await live([turn(1)])
    expect((await store.fork(session)).header.cwd).toBe('/work')
  })

  test.each([
    ['before', 2, 'first'],
    ['after', 5, 'second'],
  ])('a fork %s the model changed has the model of then', async (_, boundary, model) => {
    const chosen = (model: string): Draft => requestHeader({ config: { provider: 'p', model } })
    const { opened, store, session } = await live([turn(1, chosen('first')), turn(2, chosen('second'))], RFC)
    await store.fork(session, boundary, 'b')
    expect((await reread(opened, 'b')).requestHeader()?.config.model).toBe(model)
  })
})

test('inherited prefix not there on reopening (fault 40): a child opened alone has all of it', async () => {
  const { opened, store, session } = await live([turn(1), turn(2)], RFC)
  const child = await store.fork(session, 2, 'b')
  for (const draft of turn(2, user('other'))) append(child, draft)
  const { events } = child
  await store.close()
  expect((await reread(opened, 'b')).events).toEqual(events)
})

describe('deltas attached to the shared base, not to a lineage (fault 47)', () => {
  async function appended(session: Session, numbers: readonly number[], name: string, { store }: Page): Promise<void> {
    for (const n of numbers) {
      for (const draft of turn(n, user(`${name} ${n}`))) append(session, draft)
      await store.flush(session)
    }
  }

  /** A with three turns, perhaps forked at the first; both append, both are merged. What A is then. */
  async function storyOfA(isForked: boolean) {
    clock(T0)
    const { opened, store, session } = await live([], RFC)
    await appended(session, [1, 2, 3], 'a', opened)
    const child = isForked ? await store.fork(session, 2, 'b') : undefined
    if (child !== undefined) await appended(child, [2, 3, 4], 'b', opened)
    await appended(session, [4, 5], 'a', opened)
    const before = (await segments(opened.name)).length
    for (const id of ['a', 'b']) await opened.connection.call('merge', id)
    expect((await segments(opened.name)).length).toBeLessThan(before)
    const again = await reread(opened, 'a')
    return { events: again.events, messages: again.messages, file: await exported(store, 'a') }
  }

  test('after a merge the source is as if its fork did not exist', async () => {
    expect(await storyOfA(true)).toEqual(await storyOfA(false))
  })
})
