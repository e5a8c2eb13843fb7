/** Faults that real products had (`faults.md`), and inputs that would show them here: references, ids and order. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { SessionEvent } from 'idb-sessions'
import { deriveEventMessage, foldSurface } from 'idb-sessions/log'
import { end, log, replacing, start, T0, title, turn, user, type Draft } from '../log/support.js'
import { page, tab } from '../support/lifetime.js'
import { append, clock, exported, live, reread, told } from './support.js'

const RFC = { rules: 'rfc' } as const

describe('incomplete remap of internal references (fault 13)', () => {
  const compaction = { compactionId: 'x', turn: null }
  const range = { shadowedRange: { start: 1, end: 4 }, shadowedSeqs: [1, 4], shadowedTokenCount: 9 }
  const compacted = [
    turn(1),
    turn(2),
    { type: 'compaction/start', data: compaction },
    { type: 'compaction/summary', data: { ...compaction, ...range, summary: [], provider: 'p', model: 'm' } },
    replacing(user('summary'), 1, 4, [1, 4, 7]),
    { type: 'compaction/end', data: compaction },
    turn(3),
  ]

  test.each([
    ['before', 5],
    ['inside', 7],
    ['right after', 9],
    ['after', 12],
  ])('a fork %s a compaction is told what its source was told there', async (_, boundary) => {
    const { opened, store, session } = await live(compacted)
    await store.fork(session, boundary, 'b')
    const prefix = session.slice(0, boundary + 1)
    const then = foldSurface(prefix).nodes.map((seq) => deriveEventMessage(prefix[seq]!))
    expect((await reread(opened, 'b')).messages).toEqual(then)
  })
})

describe('history rebuilt by walking links through ephemeral nodes (fault 15)', () => {
  const citing: Draft[] = [
    { type: 'command/done', data: { commandId: 'x', kind: 'success', sourceEventSeq: 999 } },
    { type: 'session/title', data: { title: 't', messageSeqs: [998, 0], source: { kind: 'fallback' } } },
    {
      type: 'compaction/prune',
      data: { shadowedRange: { start: 9, end: 1 }, shadowedSeqs: [997], shadowedTokenCount: 0 },
    },
  ]
  const drafts = [1, 2, 3].flatMap((n) => [...citing, start(n), ...citing, user(`${n}`), ...citing, end(n)])

  test('events that cite missing ones leave all in order', async () => {
    const { opened, store, session } = await live(drafts, RFC)
    await store.flush(session)
    expect((await reread(opened, 'a')).events).toEqual(session.events)
  })

  test('events that cite missing ones hide no message', async () => {
    const { opened, store, session } = await live(drafts, RFC)
    await store.flush(session)
    expect(told(await reread(opened, 'a'))).toEqual(['id of 1', 'id of 2', 'id of 3'])
  })
})

describe('ids that are not unique make repeated or cyclic nodes (fault 17)', () => {
  const line = (id: string, parentSession: string): string =>
    `${JSON.stringify({ type: 'session', version: 0, id, createdAt: 1, parentSession, seedLength: 3, delegationDepth: 0 })}\n`
  const body = (events: readonly SessionEvent[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join('')
  const EVENTS = log(turn(1), turn(2))

  test('a seq is refused, by its line', async () => {
    const { store } = await page()
    const twice = [...EVENTS.slice(0, 2), ...EVENTS.slice(1)]
    const imported = store.importLog(line('s', 'p') + body(twice))
    await expect(imported).rejects.toMatchObject({ code: 'INVALID_LOG', line: 4 })
  })

  test('a seq in a torn tail is reported, by its line', async () => {
    const { store } = await page()
    const twice = [...EVENTS, ...log(start(3)).map((event) => ({ ...event, seq: 5 }))]
    const report = await store.importLog(line('s', 'p') + body(twice))
    expect(report).toMatchObject({ session: { length: 6 }, dropped: { line: 8 } })
  })

  test('a message keeps both its places', async () => {
    const { store } = await page()
    await store.importLog(line('s', 'p') + body(log(turn(1, user('same')), turn(2, user('same')))))
    expect(told(await store.load('s'))).toEqual(['id of same', 'id of same'])
  })

  test.each([
    ['that is its own parent', [['s', 's']]],
    [
      'whose parents are each other',
      [
        ['s', 't'],
        ['t', 's'],
      ],
    ],
  ] as const)('a session %s is listed, forked, loaded and deleted as any other', async (_, lines) => {
    const { store } = await page()
    for (const [id, parent] of lines) await store.importLog(line(id, parent) + body(EVENTS))
    const child = await store.fork('s', 2, 'child')
    await store.load('s')
    const deleted = await store.delete(lines.map(([id]) => id))
    expect(deleted.map(({ outcome }) => outcome)).toEqual(lines.map(() => 'deleted'))
    expect((await store.stored()).map(({ header, length }) => [header.id, length])).toEqual([['child', child.seq]])
  })
})

describe('weak id, inserted without asking whether it exists (fault 18)', () => {
  test('two forks at one moment, with the same luck, are two', async () => {
    clock(T0)
    const { store, session } = await live([turn(1)])
    await store.flush(session)
    const forks = []
    for (let n = 0; n < 2; n++) {
      let seed = 1
      const luck = vi.spyOn(Math, 'random').mockImplementation(() => (seed = (seed * 16807) % 2147483647) / 2147483647)
      onTestFinished(() => luck.mockRestore())
      forks.push(await store.fork(session))
    }
    expect(forks[0]!.id).not.toBe(forks[1]!.id)
  })

  test('an id that is given twice at once is taken once', async () => {
    const { store, session } = await live([turn(1)])
    const both = await Promise.allSettled([store.fork(session, 2, 'b'), store.fork(session, 2, 'b')])
    expect(both).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'SESSION_ALREADY_EXISTS' } }])
  })

  test('the id of a deleted session starts anew', async () => {
    const { opened, store, session } = await live([turn(1), turn(2)], RFC)
    await store.fork(session, 5, 'b')
    await store.delete('b')
    await store.fork(session, 2, 'b')
    expect((await reread(opened, 'b')).events).toEqual(session.slice(0, 3))
  })
})

describe('empty prefix on a path of its own (fault 19)', () => {
  test.each([
    ['nothing', []],
    ['a turn', [turn(1)]],
  ])('a fork of %s has its id and its parent, here and in storage', async (_, drafts) => {
    const { opened, store, session } = await live(drafts, RFC)
    const { header } = await store.fork(session, undefined, 'b')
    const lineage = { id: 'b', parentSession: 'a', seedLength: session.seq, cwd: '/work' }
    expect([header, (await reread(opened, 'b')).header]).toMatchObject([lineage, lineage])
  })
})

describe('order from the clock (fault 20)', () => {
  test('events keep theirs while it goes back ten minutes', async () => {
    clock(T0)
    const { opened, store, session } = await live([turn(1)], RFC)
    vi.setSystemTime(T0 - 600_000)
    for (const draft of turn(2)) append(session, draft)
    await store.flush(session)
    expect(told(await reread(opened, 'a'))).toEqual(['id of prompt 1', 'id of prompt 2'])
  })

  test('a thousand events of one millisecond keep theirs', async () => {
    clock(T0)
    const { opened, store, session } = await live(
      Array.from({ length: 1000 }, (_, i) => title(`${i}`)),
      RFC,
    )
    await store.flush(session)
    expect((await reread(opened, 'a')).events).toEqual(session.events)
  })

  test('a tab whose clock is behind writes after the one before it', async () => {
    clock(T0)
    const { opened, store, session } = await live([turn(1)], RFC)
    await store.release(session)
    vi.setSystemTime(T0 - 600_000)
    const other = await tab(opened)
    const heir = await other.store.load('a')
    for (const draft of turn(2)) append(heir, draft)
    await other.store.release(heir)
    expect(told(await reread(opened, 'a'))).toEqual(['id of prompt 1', 'id of prompt 2'])
  })

  test('imported events keep theirs while their times fall', async () => {
    const { store } = await page()
    const falling = log(turn(1), turn(2)).map((event) => ({ ...event, time: T0 - event.seq }))
    await store.create('b', { seed: falling })
    await store.importLog(await exported(store, 'b'), { id: 'c' })
    expect((await store.load('c')).events).toEqual(falling)
  })
})
