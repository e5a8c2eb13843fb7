/** `spec` 11 D: forks, under DSH's rules of today; what `spec` 12 says of the RFC is said here case by case. */
import { describe, expect, test } from 'vitest'
import type { Session, TurnEndReason } from 'idb-sessions'
import { end, endSeed, log, replacing, start, title, turn, user } from '../log/support.js'
import { page } from '../support/lifetime.js'
import { append, live, told, types } from './support.js'

const ONE = ['turn/start', 'user/message', 'turn/end']
const RFC = { rules: 'rfc' } as const
const code = (code: string) => ({ name: 'SessionForkError', code })

describe('the child', () => {
  test('is the prefix and a marker (case 35)', async () => {
    const { store, session } = await live([turn(1)])
    expect(types(await store.fork(session))).toEqual([...ONE, 'session/end-seed'])
  })

  test('is the prefix alone by the RFC, ids and times included (cases 35 and 49)', async () => {
    const { store, session } = await live([turn(1)], RFC)
    expect((await store.fork(session)).events).toEqual(session.events)
  })

  test('has a header of cwd, parent and length, and nothing else (case 35)', async () => {
    const { store, session } = await live([turn(1)])
    const { header } = await store.fork(session, undefined, 'b')
    const { createdAt } = header
    expect(header).toEqual({ version: 0, id: 'b', createdAt, cwd: '/work', parentSession: 'a', seedLength: 3 })
  })

  test.each([
    ['the marker alone', 'harness', ['session/end-seed']],
    ['empty by the RFC', 'rfc', []],
  ] as const)('of an empty source is %s (case 39)', async (_, rules, expected) => {
    const { store, session } = await live([], { rules })
    const child = await store.fork(session)
    expect([types(child), child.header.seedLength]).toEqual([expected, 0])
  })

  test('has a title that follows the last turn (case 40)', async () => {
    const { store, session } = await live([turn(1), title('t')])
    expect(types(await store.fork(session))).toEqual([...ONE, 'session/title', 'session/end-seed'])
  })

  test('has no title that follows its boundary (case 40)', async () => {
    const { store, session } = await live([turn(1), title('t')])
    expect(types(await store.fork(session, 2))).toEqual([...ONE, 'session/end-seed'])
  })

  test('has no title at the very end by the RFC (case 40)', async () => {
    const { store, session } = await live([turn(1), title('t')], RFC)
    expect(types(await store.fork(session))).toEqual(ONE)
  })

  test('of a fork, before its marker, has a marker of its own (case 42)', async () => {
    const { store, session } = await live([turn(1)])
    const child = await store.fork(await store.fork(session), 2)
    expect([types(child), child.header.seedLength]).toEqual([[...ONE, 'session/end-seed'], 3])
  })

  test('shares the frozen events of a live source, which DSH copies (case 49, differs)', async () => {
    const { store, session } = await live([turn(1)], RFC)
    const shared = (await store.fork(session)).at(1)
    expect([shared === session.at(1), Object.isFrozen(shared!.data)]).toEqual([true, true])
  })

  test.each(['source', 'child'] as const)('an append to the %s changes that one only (case 49)', async (which) => {
    const { store, session } = await live([turn(1)], RFC)
    const child = await store.fork(session)
    append(which === 'source' ? session : child, title('t'))
    expect([session.seq, child.seq]).toEqual(which === 'source' ? [4, 3] : [3, 4])
  })

  test('goes on with the number after the inherited turns (case 59)', async () => {
    const { store, session } = await live([turn(1), turn(2)])
    expect((await store.fork(session)).turn.next).toBe(3)
  })

  test('after a compaction is told the summary (case 56)', async () => {
    const { store, session } = await live([turn(1), replacing(user('summary'), 1, 1, [1])])
    expect(told(await store.fork(session))).toEqual(['id of summary'])
  })

  test('before a compaction is told everything (case 56)', async () => {
    const { store, session } = await live([turn(1), replacing(user('summary'), 1, 1, [1])])
    expect(told(await store.fork(session, 2))).toEqual(['id of prompt 1'])
  })

  test('and its children, each adding a turn, inherit 3, 7 and 11 events with 1, 2 and 3 markers (case 58)', async () => {
    const { store, session } = await live()
    const generations: unknown[] = []
    let last: Session = session
    for (let n = 1; n <= 3; n++) {
      for (const draft of turn(n)) append(last, draft)
      last = await store.fork(last)
      generations.push([last.header.seedLength, types(last).filter((type) => type === endSeed.type).length])
    }
    expect(generations).toEqual([
      [3, 1],
      [7, 2],
      [11, 3],
    ])
  })
})

describe('a boundary', () => {
  test.each([0, 1])('of %s inside the turn is refused as open (case 36)', async (boundary) => {
    const { store, session } = await live([turn(1)])
    await expect(store.fork(session, boundary)).rejects.toMatchObject(code('OPEN_TURN'))
  })

  test('past the end is invalid (case 36)', async () => {
    const { store, session } = await live([turn(1)])
    await expect(store.fork(session, 3)).rejects.toMatchObject(code('INVALID_BOUNDARY'))
  })

  test.each([-1, 0.5, NaN, '2', null, 2n, 2 ** 53, 2 ** 53 - 1])('%s is invalid (case 37)', async (boundary) => {
    const { store, session } = await live([turn(1)])
    await expect(store.fork(session, boundary as never)).rejects.toMatchObject(code('INVALID_BOUNDARY'))
  })

  test('of 0 in an empty source is invalid (case 39)', async () => {
    const { store, session } = await live()
    await expect(store.fork(session, 0)).rejects.toMatchObject(code('INVALID_BOUNDARY'))
  })

  test('at a title is invalid by the RFC (case 40)', async () => {
    const { store, session } = await live([turn(1), title('t')], RFC)
    await expect(store.fork(session, 3)).rejects.toMatchObject(code('INVALID_BOUNDARY'))
  })

  test('before an open turn works (case 43)', async () => {
    const { store, session } = await live([turn(1), turn(2), start(3)])
    expect((await store.fork(session, 5)).header.seedLength).toBe(6)
  })

  test.each([
    [undefined, 'OPEN_TURN'],
    [99, 'INVALID_BOUNDARY'],
  ])('of %s while a turn is open is %s: that it exists is asked first (case 43)', async (boundary, why) => {
    const { store, session } = await live([turn(1), turn(2), start(3)])
    await expect(store.fork(session, boundary)).rejects.toMatchObject(code(why))
  })

  test.each<TurnEndReason>([
    { kind: 'completed' },
    { kind: 'aborted', reason: { kind: 'user' } },
    { kind: 'error', error: { message: 'm', code: 'C' } },
    { kind: 'max-tokens' },
    { kind: 'blocked' },
    { kind: 'interrupted' },
  ])('may be a turn that ended as $kind (case 47)', async (reason) => {
    const { store, session } = await live([start(1), end(1, reason)], RFC)
    expect((await store.fork(session, 1)).header.seedLength).toBe(2)
  })

  test('after a marker inside an open turn is refused (case 55)', async () => {
    const { store } = await live()
    const session = await store.create('b', { seed: log(start(1)) })
    await expect(store.fork(session)).rejects.toMatchObject(code('OPEN_TURN'))
  })

  test('after a turn that a seed left open and its heir ended works (case 55)', async () => {
    const { store } = await live()
    const session = await store.create('b', { seed: log(start(1)) })
    append(session, end(1))
    expect((await store.fork(session)).header.seedLength).toBe(3)
  })
})

test.each([
  ['a', 'SESSION_ALREADY_EXISTS'],
  ['b', 'SESSION_NOT_FOUND'],
])(
  'child id before source before boundary: for the child %s of nobody at -1 it is %s (case 44)',
  async (child, why) => {
    const { store } = await live()
    await expect(store.fork('nobody', -1, child)).rejects.toMatchObject(code(why))
  },
)

test('a child does not take the id of its source (case 45)', async () => {
  const { store, session } = await live([turn(1)])
  await expect(store.fork(session, 2, 'a')).rejects.toMatchObject(code('SESSION_ALREADY_EXISTS'))
})

test('an object of another store whose id nobody has here is not found (case 46)', async () => {
  const { session } = await live([turn(1)])
  const { store } = await page()
  await expect(store.fork(session)).rejects.toMatchObject(code('SESSION_NOT_FOUND'))
})

test('an object of another store whose id is live here is not live (case 46)', async () => {
  const { session } = await live([turn(1)])
  const { store } = await live([turn(1)])
  await expect(store.fork(session)).rejects.toMatchObject(code('SESSION_NOT_LIVE'))
})

describe('a listener of session/created', () => {
  async function vetoed() {
    const { store, session } = await live([turn(1)])
    const trace: string[] = []
    store.on('session/created', ({ id }) => void trace.push(`created ${id}`))
    store.on('session/disposed', ({ id }) => void trace.push(`disposed ${id}`))
    const veto = new RangeError('not this one')
    const off = store.on('session/created', () => {
      throw veto
    })
    const outcome: unknown = await store.fork(session, 2, 'b').catch((error: unknown) => error)
    return { store, session, trace, veto, outcome, off }
  }

  test('that throws rejects the fork with its own error (case 51)', async () => {
    const { outcome, veto } = await vetoed()
    expect(outcome).toBe(veto)
  })

  test('that throws sends the child away again (case 51)', async () => {
    expect((await vetoed()).trace).toEqual(['created b', 'disposed b'])
  })

  test('that throws leaves the id free (case 51)', async () => {
    const { store, session, off } = await vetoed()
    off()
    expect((await store.fork(session, 2, 'b')).state).toBe('live')
  })

  test('is told once of a fork, whose log is complete, and of no event (case 52)', async () => {
    const { store, session } = await live([turn(1)])
    const trace: string[] = []
    store.on('session/created', (created) => void trace.push(`created ${types(created).join(' ')}`))
    store.on('session/event', (_, { type }) => void trace.push(`event ${type}`))
    await store.fork(session)
    expect(trace).toEqual([`created ${[...ONE, 'session/end-seed'].join(' ')}`])
  })
})

describe('a fork from inside the observer of a turn/end', () => {
  async function forkedInside() {
    const { store, session } = await live([start(1)])
    let forking: Promise<Session> | undefined
    store.on('session/event', (source) => {
      forking ??= store.fork(source)
    })
    append(session, end(1))
    return { session, child: await forking! }
  }

  test('includes that turn (case 53)', async () => {
    expect(types((await forkedInside()).child)).toEqual(['turn/start', 'turn/end', 'session/end-seed'])
  })

  test('leaves the source appendable (case 53)', async () => {
    const { session } = await forkedInside()
    expect(append(session, start(2)).seq).toBe(2)
  })
})
