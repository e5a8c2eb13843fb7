/** Two stores on one database, as two tabs hold them. Real tabs are in `test/tabs`. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Session, SessionStore, SessionView, StoredChange } from 'idb-sessions'
import { runTurn, userMessage } from 'idb-sessions/turn'
import { log, start, turn } from '../log/support.js'
import { overtake } from '../support/behind.js'
import { gate, noRoom } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import { hasLocks, type Page } from '../support/page.js'
import { holdSilently, steal } from '../support/robber.js'

const LOCKED = { name: 'SessionStoreError', code: 'SESSION_LOCKED', sessionId: 'a' }
const MODEL = { provider: 'p', model: 'm' }

/** A tab with a live session 'a' of one turn, and another tab. */
async function two(seed = log(turn(1))) {
  const first = await page()
  const session = await first.store.create('a', { seed })
  const second = await tab(first)
  return { first, second, session }
}

function writers(store: SessionStore): Promise<string[]> {
  return store.stored().then((rows) => rows.map(({ header, writer }) => `${header.id} ${writer}`).toSorted())
}

function deltas(session: Session, count: number): void {
  for (let i = 0; i < count; i++) {
    session.append('assistant/chunk', { turn: 2, step: 1, chunk: { type: 'text-delta', index: 0, text: `${i} ` } })
  }
}

describe.runIf(hasLocks)('a session that is live in another tab (not in Node: it takes Web Locks)', () => {
  test('is locked for load, after a short wait', async () => {
    const { second } = await two()
    await expect(second.store.load('a')).rejects.toMatchObject(LOCKED)
  })

  test('is loaded as soon as it is free', async () => {
    const { first, second, session } = await two()
    const loading = second.store.load('a')
    await first.store.release(session)
    expect((await loading).events).toEqual(session.events)
  })

  test('is free when that tab dies', async () => {
    const { first, second, session } = await two()
    const loading = second.store.load('a')
    first.crash()
    expect((await loading).events).toEqual(session.events)
  })

  test('has an id that is taken, for create, fork and import, though nothing is stored yet', async () => {
    const first = await page()
    await first.store.create('a')
    const { store } = await tab(first)
    const other = await store.create('b', { seed: log(turn(1)) })
    const file = await new Response(await store.exportLog('b')).text()
    await expect(store.create('a')).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
    await expect(store.fork(other, 2, 'a')).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
    await expect(store.importLog(file, { id: 'a' })).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' })
  })

  test('is written elsewhere, as lists say, until it is released', async () => {
    const { first, second, session } = await two()
    expect(await writers(second.store)).toEqual(['a elsewhere'])
    expect(await writers(first.store)).toEqual(['a here'])
    await first.store.release(session)
    expect(await writers(second.store)).toEqual(['a none'])
  })

  test('is no longer when its tab dies, in the index too, without a word from anybody', async () => {
    const { first, second } = await two()
    const writer = (): string | undefined => second.store.index.current[0]?.writer
    await expect.poll(writer).toBe('elsewhere')
    first.crash()
    await expect.poll(writer).toBe('none')
  })
})

describe('a session that is live in another tab, which answers', () => {
  test('is followed by open', async () => {
    const { second } = await two()
    expect((await second.store.open('a')).state).toBe('following')
  })

  test('stays when it is deleted, and others go', async () => {
    const { first, second, session } = await two()
    const other = await second.store.create('b', { seed: log(turn(1)) })
    await second.store.release(other)
    expect(await second.store.delete(['a', 'b', 'c'])).toEqual([
      { id: 'a', outcome: 'locked' },
      { id: 'b', outcome: 'deleted' },
      { id: 'c', outcome: 'missing' },
    ])
    appendTurn(session, 'still', 'here')
    expect(await first.store.flush(session)).toBe(true)
  })

  test('that was deleted behind its back is so there too, as soon as anybody says so', async () => {
    const { first, second, session } = await two()
    await second.connection.call('delete', ['a'])
    const channel = new BroadcastChannel(`idb-sessions:${first.name}`)
    onTestFinished(() => channel.close())
    channel.postMessage({ protocol: 1, from: 'x', kind: 'changed', id: 'a', change: 'deleted', length: 0 })
    await expect.poll(() => session.state).toBe('deleted')
  })
})

describe('in the other tab', () => {
  test('changes of what is stored are told', async () => {
    const { first, second, session } = await two()
    const changes: StoredChange[] = []
    second.store.on('stored/changed', (change) => void changes.push(change))
    appendTurn(session, 'hi', 'hello')
    await expect.poll(() => changes.at(-1)).toEqual({ id: 'a', kind: 'grown', length: session.seq })
    await first.store.setTitle('a', 'mine')
    await expect.poll(() => changes.at(-1)).toEqual({ id: 'a', kind: 'titled', length: session.seq })
    await first.store.delete('a')
    await expect.poll(() => changes.at(-1)).toEqual({ id: 'a', kind: 'deleted', length: 0 })
  })

  test('the index has what is created here', async () => {
    const { first, second } = await two()
    await expect.poll(() => second.store.index.current.length).toBe(1)
    await first.store.fork('a', 2, 'b')
    await expect.poll(() => second.store.index.current.length).toBe(2)
  })
})

describe('a session that is followed', () => {
  async function followed(): Promise<{ first: Page; second: Page; session: Session; view: SessionView }> {
    const tabs = await two()
    return { ...tabs, view: await tabs.second.store.follow('a') }
  }

  test('has what is stored', async () => {
    const { session, view } = await followed()
    expect(view.events).toEqual(session.events)
    expect(view).toMatchObject({ id: 'a', state: 'following', seq: 3, durable: 3 })
  })

  test('grows as its writer writes, and shows what streams', async () => {
    const { session, view } = await followed()
    session.append('turn/start', { turn: 2 })
    session.append('step/start', { turn: 2, step: 1 })
    deltas(session, 3)
    await expect.poll(() => view.transcript.at(-1)?.state).toBe('streaming')
    await expect.poll(() => view.events).toEqual(session.events)
    expect(view.transcript).toEqual(session.transcript)
  })

  test('tells its subscribers', async () => {
    const { session, view } = await followed()
    const { opened, open } = gate()
    view.subscribe(open)
    appendTurn(session, 'hi', 'hello')
    await opened
    await expect.poll(() => view.seq).toBe(session.seq)
  })

  test('says who writes it', async () => {
    const { first, second, session, view } = await followed()
    expect(view.writer).toBe('elsewhere')
    await first.store.release(session)
    await expect.poll(() => view.writer).toBe('none')
    await second.store.load('a')
    expect(view.writer).toBe('here')
  })

  test('goes on when another tab writes it', async () => {
    const { first, session, view } = await followed()
    await first.store.release(session)
    const { store } = await tab(first)
    const heir = await store.load('a')
    appendTurn(heir, 'from', 'another')
    await expect.poll(() => view.events).toEqual(heir.events)
  })

  test('ends when it is deleted, and keeps what it has', async () => {
    const { first, view } = await followed()
    await first.store.delete('a')
    await expect.poll(() => view.state).toBe('deleted')
    expect(view.seq).toBe(3)
  })

  test('does not go on as a later session of its id', async () => {
    const { first, view } = await followed()
    await first.store.delete('a')
    await first.store.create('a', { seed: log(turn(1), turn(2)) })
    await expect.poll(() => view.state).toBe('deleted')
    expect(view.seq).toBe(3)
  })

  test('grows no more once it is closed', async () => {
    const { first, session, view } = await followed()
    view.close()
    appendTurn(session, 'hi', 'hello')
    await first.store.flush(session)
    expect(view).toMatchObject({ state: 'released', seq: 3 })
  })

  test('ends with its store', async () => {
    const { second, view } = await followed()
    await second.store.close()
    expect(view.state).toBe('released')
  })

  test('may be one of this tab', async () => {
    const { store } = await page()
    const session = await store.create('a', { seed: log(turn(1)) })
    const view = await store.follow('a')
    appendTurn(session, 'hi', 'hello')
    await expect.poll(() => view.events).toEqual(session.events)
    expect(view).toMatchObject({ state: 'following', writer: 'here' })
  })

  test('may be one of this tab that has no event yet, and grows with its first', async () => {
    const { store } = await page()
    const session = await store.create('a')
    const view = await store.follow('a')
    expect(view).toMatchObject({ state: 'following', seq: 0, header: session.header })
    appendTurn(session, 'hi', 'hello')
    await expect.poll(() => view.events).toEqual(session.events)
  })

  test('and ends as deleted when such a one goes without an event', async () => {
    const { store } = await page()
    const session = await store.create('a')
    const view = await store.follow('a')
    await store.release(session)
    await expect.poll(() => view.state).toBe('deleted')
  })

  test('that is not there is SESSION_NOT_FOUND', async () => {
    const { store } = await page()
    await expect(store.follow('a')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })
})

describe('taking over', () => {
  test('in order: the other tab stores what it has and releases the session', async () => {
    const { session, second } = await two()
    session.append('turn/start', { turn: 2 })
    session.append('step/start', { turn: 2, step: 1 })
    deltas(session, 5)
    const taken = await second.store.load('a', { takeOver: true })
    expect(session.state).toBe('released')
    expect(taken.slice(0, session.seq)).toEqual(session.events)
    expect(taken.turn.open).toBeUndefined()
  })

  test('in mid-turn ends that turn as interrupted, and who runs it is told', async () => {
    const { session, second } = await two()
    const { opened: streaming, open: streams } = gate()
    const { opened: taken, open: take } = gate()
    const running = runTurn(session, userMessage('hi'), async (turn) => {
      turn.beginStep(MODEL)
      turn.delta('text', 'half')
      streams()
      await taken
      turn.delta('text', 'never')
    })
    await streaming
    const heir = await second.store.load('a', { takeOver: true })
    take()
    await expect(running).rejects.toMatchObject({ code: 'SESSION_NOT_LIVE' })
    expect(heir.transcript.at(-1)).toMatchObject({ state: 'interrupted', blocks: [{ type: 'text', text: 'half' }] })
  })

  test('from a tab that cannot store is SESSION_LOCKED with that cause, and changes nothing', async () => {
    const { first, session, second } = await two()
    const makeRoom = noRoom(first, 'append')
    session.append('turn/start', { turn: 2 })
    const refused = { ...LOCKED, cause: expect.objectContaining({ code: 'STORAGE_FULL' }) }
    const refusal = second.store.load('a', { takeOver: true })
    await expect(refusal).rejects.toMatchObject(refused)
    makeRoom()
    session.append('turn/end', { turn: 2, reason: { kind: 'completed' } })
    expect(await first.store.flush(session)).toBe(true)
  })

  test('from a tab that was overtaken and does not know it yet leaves that one the conflict', async () => {
    const { first, session, second } = await two()
    await overtake(await tab(first), 'a')
    session.append('turn/start', { turn: 2 })
    expect((await second.store.load('a', { takeOver: true })).seq).toBe(3)
    expect(session).toMatchObject({ state: 'conflict', seq: 4 })
  })

  test('of a session that nobody has is a load', async () => {
    const { first, session, second } = await two()
    await first.store.release(session)
    expect((await second.store.load('a', { takeOver: true })).state).toBe('live')
  })

  test('by three tabs at once leaves one that has it, and the log whole', async () => {
    const { first, session, second } = await two()
    const tabs = [second, await tab(first), await tab(first)]
    await Promise.allSettled(tabs.map(({ store }) => store.load('a', { takeOver: true })))
    const live = (): Session[] => [first, ...tabs].flatMap(({ store }) => store.get('a') ?? [])
    await expect.poll(live).toHaveLength(1)
    expect(session.state).toBe('released')
    const [winner] = live()
    appendTurn(winner!, 'mine', 'now')
    expect((await first.store.inspect('a')).events.slice(0, 3)).toEqual(session.events)
  }, 20_000)

  test('fifty times, in mid-stream: nothing is lost, nothing is there twice', async () => {
    const { first, second, session } = await two()
    let [owner, other, current] = [first, second, session]
    const written: string[] = []
    for (let i = 0; i < 50; i++) {
      current.append('todo/write', { todos: [{ content: `${i}`, status: 'pending' }] })
      written.push(`${i}`)
      current = await other.store.load('a', { takeOver: true })
      ;[owner, other] = [other, owner]
    }
    await owner.store.flush(current)
    const { events } = await other.store.inspect('a')
    const found = events.flatMap((event) => (event.type === 'todo/write' ? [event.data.todos[0]!.content] : []))
    expect(found).toEqual(written)
  }, 30_000)

  test.runIf(hasLocks)('by force from a tab that is silent (not in Node: it takes Web Locks)', async () => {
    const opened = await page()
    await opened.store.release(await opened.store.create('a', { seed: log(turn(1)) }))
    const { robbed } = await holdSilently(opened, 'a')
    expect((await opened.store.load('a', { takeOver: true })).state).toBe('live')
    expect(await robbed).toMatchObject({ name: 'AbortError' })
  })

  test.runIf(hasLocks)('by force leaves a conflict, and the events (not in Node: it takes Web Locks)', async () => {
    const { first, session } = await two()
    noRoom(first, 'append')
    session.append('turn/start', { turn: 2 })
    await steal(first, 'a')
    await expect.poll(() => session.state).toBe('conflict')
    expect(session.seq).toBe(4)
    expect(() => session.append('turn/end', { turn: 2, reason: { kind: 'completed' } })).toThrow(
      expect.objectContaining({ code: 'SESSION_CONFLICT' }),
    )
  })
})

test('a turn that another tab is in is not closed by who looks at it', async () => {
  const { second } = await two(log(start(1)))
  await expect(second.store.load('a')).rejects.toMatchObject(LOCKED)
  expect((await second.store.inspect('a')).events).toHaveLength(1)
})

test('what anybody writes into the channel harms nobody', async () => {
  const { first, session, second } = await two()
  const view = await second.store.follow('a')
  const channel = new BroadcastChannel(`idb-sessions:${first.name}`)
  onTestFinished(() => channel.close())
  const base = { protocol: 1, from: 'me', id: 'a' }
  const odd = [
    null,
    'a',
    {},
    base,
    { ...base, kind: 'changed' },
    { ...base, kind: 'changed', change: 'grown', length: -1 },
  ]
  const bad = [
    { ...base, kind: 'changed', change: 'deleted', length: 0 },
    { ...base, kind: 'kept', to: 1 },
    { ...base, protocol: 2 },
  ]
  for (const message of [...odd, ...bad]) channel.postMessage(message)
  appendTurn(session, 'hi', 'hello')
  await expect.poll(() => view.events).toEqual(session.events)
  expect(view.state).toBe('following')
})
