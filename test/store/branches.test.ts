import { openDB } from 'idb'
import { describe, expect, test } from 'vitest'
import type { Session, SessionStore } from 'idb-sessions'
import { log, title, turn } from '../log/support.js'
import { beforeCall, gate, watchCalls } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import { damage, rows } from '../support/records.js'

/** Turns end at 2, 5 and 8. */
const THREE = log(turn(1), turn(2), turn(3))
const NOT_FOUND = { name: 'SessionStoreError', code: 'SESSION_NOT_FOUND' }

/** Each branch as `id: own after shared of sharedWith`. */
async function tree(store: SessionStore, id: string): Promise<string[]> {
  const branches = await store.branches(id)
  return branches.map(({ id, sharedWith, shared, own }) => `${id}: ${own} after ${shared} of ${sharedWith}`)
}

async function open() {
  const opened = await page()
  await opened.store.create('a', { seed: THREE })
  return opened
}

/** A fork with `own` events of its own, stored. */
async function fork(store: SessionStore, source: string, boundary: number, id: string, own = 1): Promise<Session> {
  const child = await store.fork(source, boundary, id)
  if (own > 1) child.append('turn/start', { turn: child.turn.next })
  for (let i = 2; i < own; i++) child.append('todo/write', { todos: [] })
  if (own > 1) child.append('turn/end', { turn: child.turn.open!, reason: { kind: 'completed' } })
  else if (own === 1) child.append('plan/mode', { active: true })
  await store.flush(child)
  return child
}

describe('branches', () => {
  test('of a session that nobody shares anything with are none', async () => {
    const { store } = await open()
    await store.create('b', { seed: THREE })
    expect(await store.branches('a')).toEqual([])
  })

  test('are seen from both sides', async () => {
    const { store } = await open()
    await fork(store, 'a', 2, 'b')
    expect(await tree(store, 'a')).toEqual(['b: 1 after 3 of a'])
    expect(await tree(store, 'b')).toEqual(['a: 6 after 3 of b'])
  })

  test('of branches hang on the one that they share most with', async () => {
    const { store } = await open()
    await fork(store, 'a', 2, 'b', 2)
    await fork(store, 'b', 4, 'c')
    expect(await tree(store, 'a')).toEqual(['b: 2 after 3 of a', 'c: 1 after 5 of b'])
    expect(await tree(store, 'c')).toEqual(['a: 6 after 3 of c', 'b: 0 after 5 of c'])
  })

  test('that part where no session ends hang on the oldest of them', async () => {
    const { store } = await open()
    await fork(store, 'a', 2, 'b', 4)
    await fork(store, 'b', 6, 'c')
    await fork(store, 'b', 6, 'd')
    await store.delete('b')
    expect(await tree(store, 'a')).toEqual(['c: 5 after 3 of a', 'd: 1 after 7 of c'])
  })

  test('inside what a fork inherited are of whom it inherited it from', async () => {
    const { store } = await open()
    await fork(store, 'a', 5, 'b')
    await fork(store, 'b', 2, 'c')
    expect(await tree(store, 'a')).toEqual(['c: 1 after 3 of a', 'b: 1 after 6 of a'])
  })

  test('without an event of their own have none', async () => {
    const { store } = await open()
    for (const id of ['b', 'c']) await fork(store, 'a', 2, id, 0)
    expect(await tree(store, 'a')).toEqual(['b: 0 after 3 of a', 'c: 0 after 3 of a'])
    expect(await tree(store, 'b')).toEqual(['a: 6 after 3 of b', 'c: 0 after 3 of b'])
  })

  test('are found when the root is deleted', async () => {
    const { store } = await open()
    await fork(store, 'a', 2, 'b')
    await fork(store, 'a', 5, 'c')
    await fork(store, 'a', 5, 'd')
    await store.delete('a')
    expect(await tree(store, 'c')).toEqual(['b: 1 after 3 of c', 'd: 1 after 6 of c'])
  })

  test('are found when one in the middle is deleted', async () => {
    const { store } = await open()
    await fork(store, 'a', 2, 'b', 2)
    await fork(store, 'b', 4, 'c')
    await store.delete('b')
    expect(await tree(store, 'a')).toEqual(['c: 3 after 3 of a'])
  })

  test('are found over many generations, of which only some are left', async () => {
    const { store } = await open()
    let last = 'a'
    for (let i = 0; i < 40; i++) {
      await fork(store, last, 8 + 2 * i, `g${i}`, 2)
      if (i % 10 !== 0) await store.delete(last === 'a' ? [] : last)
      last = `g${i}`
    }
    expect(await tree(store, 'g39')).toEqual([
      'a: 0 after 9 of g39',
      'g9: 0 after 29 of g39',
      'g19: 0 after 49 of g39',
      'g29: 0 after 69 of g39',
    ])
  })

  test('come each after the one it parts from, those of one by where they part, then by age', async () => {
    const { store } = await open()
    await fork(store, 'a', 5, 'b')
    await fork(store, 'a', 2, 'c', 2)
    await fork(store, 'a', 5, 'd')
    await fork(store, 'c', 4, 'e')
    const branches = await store.branches('a')
    expect(branches.map(({ id }) => id)).toEqual(['c', 'e', 'b', 'd'])
  })

  test('have the titles that lists show', async () => {
    const { store } = await page()
    await store.create('a', { seed: log(title('of the log'), turn(1)) })
    await store.fork('a', 3, 'b')
    await store.fork('a', 3, 'c')
    await store.setTitle('c', 'mine')
    expect(await store.branches('a')).toMatchObject([{ title: 'of the log' }, { title: 'mine' }])
    expect((await (await open()).store.branches('a')).every((branch) => !('title' in branch))).toBe(true)
  })

  test('are not told apart by what has the same events: an import shares nothing', async () => {
    const { store } = await open()
    await store.importLog(await new Response(await store.exportLog('a')).text(), { id: 'b' })
    expect(await store.branches('a')).toEqual([])
  })

  describe('that began with an empty prefix', () => {
    async function again(store: SessionStore, source: string, id: string): Promise<void> {
      const branch = await store.branchBefore(source, 0, id)
      appendTurn(branch, 'other', 'way')
      await store.flush(branch)
    }

    test('share nothing, and are branches all the same, seen from both sides', async () => {
      const { store } = await open()
      await again(store, 'a', 'b')
      expect(await tree(store, 'a')).toEqual(['b: 9 after 0 of a'])
      expect(await tree(store, 'b')).toEqual(['a: 9 after 0 of b'])
    })

    test('come after those that share something, each with its own branches behind it', async () => {
      const { store } = await open()
      await again(store, 'a', 'b')
      await fork(store, 'b', 8, 'c')
      await fork(store, 'a', 2, 'd')
      expect(await tree(store, 'a')).toEqual(['d: 1 after 3 of a', 'b: 9 after 0 of a', 'c: 1 after 9 of b'])
    })

    test('are still found beside each other when the one that they began from is deleted', async () => {
      const { store } = await open()
      await again(store, 'a', 'b')
      await again(store, 'a', 'c')
      await store.delete('a')
      expect(await tree(store, 'b')).toEqual(['c: 9 after 0 of b'])
    })

    test('are still found from a fork of the one that they began from, and it from them', async () => {
      const { store } = await open()
      await again(store, 'a', 'b')
      await fork(store, 'a', 2, 'c')
      await store.delete('a')
      expect(await tree(store, 'c')).toEqual(['b: 9 after 0 of c'])
      expect(await tree(store, 'b')).toEqual(['c: 4 after 0 of b'])
    })

    test('are none of a session that was made anew under the id of the one they began from', async () => {
      const { store } = await open()
      await again(store, 'a', 'b')
      await store.delete('a')
      const createdAt = store.get('b')!.header.createdAt + 1
      await store.create('a', { seed: THREE, meta: { createdAt } })
      expect(await tree(store, 'a')).toEqual([])
      expect(await tree(store, 'b')).toEqual([])
    })

    test('are found from an empty session too', async () => {
      const { store } = await page()
      await store.create('a', { seed: [] })
      await store.fork('a', undefined, 'b')
      expect(await tree(store, 'a')).toEqual(['b: 0 after 0 of a'])
    })
  })

  test('of a session that is only reserved here are none', async () => {
    const { store } = await page()
    await store.create('a')
    expect(await store.branches('a')).toEqual([])
  })

  test('of one that is only reserved, and came from a deleted session, are its siblings', async () => {
    const { store } = await open()
    await store.branchBefore('a', 0, 'b')
    await store.delete('a')
    await store.create('c', { meta: { parentSession: 'a', seedLength: 0 } })
    await store.create('d', { meta: { parentSession: 'nobody' } })
    expect(await tree(store, 'c')).toEqual(['b: 0 after 0 of c'])
    expect(await tree(store, 'd')).toEqual([])
  })

  test('of one that is on its way into storage are there when it is', async () => {
    const opened = await open()
    const { opened: stored, open: store } = gate()
    beforeCall(opened, 'fork', () => stored)
    const forking = opened.store.fork('a', 2, 'b')
    await expect.poll(() => opened.store.get('b')).toBeDefined()
    const finding = tree(opened.store, 'b')
    store()
    await forking
    expect(await finding).toEqual(['a: 6 after 3 of b'])
  })

  test('are found without reading a log', async () => {
    const opened = await open()
    await fork(opened.store, 'a', 2, 'b')
    const calls = watchCalls(opened)
    await damage(opened.name, () => undefined)
    expect(await tree(opened.store, 'a')).toEqual(['b: 1 after 3 of a'])
    expect(calls).toEqual(['branches'])
  })
})

describe('branches are refused', () => {
  test('for an id that is not there', async () => {
    const { store } = await open()
    await expect(store.branches('nobody')).rejects.toMatchObject({ ...NOT_FOUND, sessionId: 'nobody' })
  })

  test('for an id that is only reserved by another page', async () => {
    const first = await page()
    await first.store.create('a')
    await expect((await tab(first)).store.branches('a')).rejects.toMatchObject(NOT_FOUND)
  })

  test('for a session whose inheritance is damaged, while its relatives have theirs', async () => {
    const { store, name } = await open()
    const [b, c] = [await fork(store, 'a', 2, 'b'), await fork(store, 'a', 5, 'c')]
    const { lineage } = (await rows(name)).find(({ id }) => id === b.id)!
    const db = await openDB(name)
    await db.delete('lineages', lineage!)
    db.close()
    await expect(store.branches(b.id)).rejects.toMatchObject({ name: 'SessionStoreError', code: 'SESSION_CORRUPT' })
    expect(await tree(store, c.id)).toEqual(['a: 3 after 6 of c'])
  })
})

/** Loose: it catches a cost that grows faster than the family, not a slow machine. */
const AT_MOST = 1000

test.each(['nested', 'side by side', 'before the first turn'])(
  `1,000 branches, %s, are found within ${AT_MOST} ms`,
  { timeout: 60_000 },
  async (how) => {
    const { store } = await open()
    let last = store.get('a')!
    for (let i = 0; i < 1000; i++) {
      const id = `fork ${i}`
      const child = await (how === 'before the first turn'
        ? store.branchBefore(last, 0, id)
        : store.fork(last, how === 'nested' ? undefined : 5, id))
      const { turn } = child.append('turn/start', { turn: child.turn.next }).data
      child.append('turn/end', { turn, reason: { kind: 'completed' } })
      if (how === 'nested') last = child
    }
    await store.flush(store.get('fork 999')!)
    for (const id of ['a', 'fork 999']) {
      const start = performance.now()
      const branches = await store.branches(id)
      const time = performance.now() - start
      console.info(`branches of '${id}' among 1,000 ${how}: ${time.toFixed(0)} ms`)
      expect(branches).toHaveLength(1000)
      expect(time).toBeLessThan(AT_MOST)
    }
  },
)
