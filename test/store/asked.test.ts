/** What tabs say to each other when one asks for a session that another has, and what is believed of it. */
// Before everything that looks for locks.
import '../support/fake-locks.js'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Session, SessionView } from 'idb-sessions'
import { sessionLock } from '../../lib/wire/protocol.js'
import { SessionStoreError } from '../../lib/wire/errors.js'
import { log, start, turn } from '../log/support.js'
import { write } from '../support/behind.js'
import { afterCall, beforeCall, gate } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import type { Page } from '../support/page.js'
import { rows } from '../support/records.js'
import { steal } from '../support/robber.js'

/** A tab with a live session 'a' of one turn, and another tab. */
async function two() {
  const first = await page()
  const session = await first.store.create('a', { seed: log(turn(1)) })
  return { first, session, second: await tab(first) }
}

/** A script of the origin that listens to what is said, and says what it likes of 'a', to whoever spoke last. */
function script({ name }: Page, heard: (message: { kind: string; from: string }) => void): (message: object) => void {
  const channel = new BroadcastChannel(`idb-sessions:${name}`)
  onTestFinished(() => channel.close())
  let to = ''
  channel.onmessage = ({ data }) => {
    to = (data as { from: string }).from
    heard(data as { kind: string; from: string })
  }
  return (message) => channel.postMessage({ protocol: 1, from: 'script', id: 'a', to, ...message })
}

/** A listener of its flushes that keeps the page's sessions from being released, until `open`. */
function slowFlush({ store }: Page): { asked: Promise<void>; open: () => void } {
  const { opened, open } = gate()
  const { opened: asked, open: ask } = gate()
  store.on('session/flush', () => {
    ask()
    return opened
  })
  return { asked, open }
}

/** Before messages come, where that can be had. */
const soon = (globalThis as { setImmediate?: (task: () => void) => unknown }).setImmediate ?? setTimeout

/** So long nothing else is done here, ms: neither timers run nor messages come. */
function block(time: number): void {
  const end = performance.now() + time
  while (performance.now() < end);
}

describe('a tab that asks for a session', () => {
  test.each([
    { kind: 'kept', code: 'STORAGE_FULL', message: 'no room' },
    { kind: 'writer', isLive: false },
  ])('does not believe $kind of one that has it not', async (answer) => {
    const { first, second, session } = await two()
    const post = script(first, ({ kind }) => void (kind === 'ask' && post(answer)))
    const { asked, open } = slowFlush(first)
    const taking = second.store.load('a', { takeOver: true })
    await asked
    open()
    expect((await taking).state).toBe('live')
    expect(session.state).toBe('released')
  })

  test('takes no code for a reason that is none', async () => {
    const { first, second } = await two()
    first.store.on('session/flush', () => {
      throw Object.assign(new Error('not today'), { code: 'EACCES' })
    })
    const refused = { code: 'SESSION_LOCKED', cause: { code: 'BLOCKED', message: 'not today' } }
    await expect(second.store.load('a', { takeOver: true })).rejects.toMatchObject(refused)
  })

  test('is told of a failure that says nothing', async () => {
    const { first, second } = await two()
    first.store.on('session/flush', () => Promise.reject(undefined as never))
    const refused = { code: 'SESSION_LOCKED', cause: { code: 'BLOCKED' } }
    await expect(second.store.load('a', { takeOver: true })).rejects.toMatchObject(refused)
  })

  test('and was busy itself when the answer came robs nobody', async () => {
    const { first, second, session } = await two()
    appendTurn(session, 'hi', 'hello')
    const query = navigator.locks.query.bind(navigator.locks)
    const spy = vi.spyOn(navigator.locks, 'query').mockImplementationOnce(() => {
      soon(() => block(1100))
      return query()
    })
    onTestFinished(() => spy.mockRestore())
    const taken = await second.store.load('a', { takeOver: true })
    expect([session.state, taken.seq]).toEqual(['released', session.seq])
    expect(first.store.list()).toEqual([])
  })

  test('is told at once when the session is loaded again there', async () => {
    const { first, second, session } = await two()
    const { asked, open } = slowFlush(first)
    const taking = second.store.load('a', { takeOver: true })
    await asked
    expect(await first.store.load('a')).toBe(session)
    open()
    await expect(taking).rejects.toMatchObject({ code: 'SESSION_LOCKED', cause: { code: 'BLOCKED' } })
    expect(session.state).toBe('live')
  })

  test('and does not want it any more, since it got it from another, gets nobody’s', async () => {
    const { first, session } = await two()
    const { opened: asked, open: ask } = gate()
    const { opened: here, open } = gate()
    const post = script(first, ({ kind }) => {
      if (kind === 'asked') ask()
      if (kind === 'here') open()
    })
    post({ kind: 'ask' })
    await asked
    await first.store.flush(session)
    post({ kind: 'who' })
    await here
    expect(session.state).toBe('live')
  })

  test('has had its turn when the session has gone and comes back there', async () => {
    const { first, second, session } = await two()
    const { opened: here, open } = gate()
    let holder = ''
    const post = script(first, ({ kind, from }) => {
      if (kind === 'asked') holder ||= from
      if (kind === 'here') open()
    })
    let back: Promise<Session> | undefined
    // The release has more to store than it knew, and before it goes its tab wants it back, and one more asks.
    afterCall(first, 'flush', () => session.seq === 3 && session.append('turn/start', { turn: 2 }))
    const meanwhile = (): Promise<void> | undefined => {
      if (session.seq === 3 || back !== undefined) return undefined
      back = first.store.load('a', { takeOver: true })
      post({ kind: 'want', to: holder })
      post({ kind: 'who' })
      return here
    }
    beforeCall(first, 'flush', meanwhile, Infinity)
    await second.store.load('a', { takeOver: true })
    const again = await back!
    await first.store.flush(again)
    expect([session.state, again.state]).toEqual(['released', 'live'])
  })

  test('waits so long and no longer, and the session stays where it is then', async () => {
    const { first, session } = await two()
    const { asked, open } = slowFlush(first)
    const { opened: kept, open: keep } = gate()
    const post = script(first, ({ kind }) => {
      if (kind === 'asked') post({ kind: 'want' })
      if (kind === 'kept') keep()
    })
    post({ kind: 'ask' })
    await asked
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 16_000)
    onTestFinished(() => clock.mockRestore())
    open()
    await kept
    expect(session.state).toBe('live')
  })
})

describe('who writes a session', () => {
  test('is told to who has it no more', async () => {
    const { first, second, session } = await two()
    const { opened: told, open } = gate()
    await second.store.load('a', { takeOver: true })
    await expect.poll(() => session.writer).toBe('elsewhere')
    session.subscribe(() => session.writer === 'none' && open())
    await second.store.close()
    await told
    expect(first.store.get('a')).toBeUndefined()
  })

  test('is nobody as soon as this page lets it go, whoever had it before', async () => {
    const { second, session } = await two()
    const view: SessionView = await second.store.follow('a')
    expect(view.writer).toBe('elsewhere')
    const taken = await second.store.load('a', { takeOver: true })
    await second.store.release(taken)
    expect([view.writer, taken.writer]).toEqual(['none', 'none'])
    expect(session.state).toBe('released')
  })

  test('is told when one tab takes it from another, and what is stored by then is read', async () => {
    const { first, second, session } = await two()
    const third = await tab(first)
    const view = await third.store.follow('a')
    appendTurn(session, 'last', 'words')
    while (session.durable < session.seq) await first.connection.call('ping')
    // A page that dies says nothing of what it stored last.
    first.crash()
    await second.store.load('a', { takeOver: true })
    await expect.poll(() => view.seq).toBe(session.seq)
  })
})

test('a look at a lock that is stolen in this very moment is no error', async () => {
  const { second } = await two()
  const request = vi.spyOn(navigator.locks, 'request').mockRejectedValueOnce(new DOMException('stolen', 'AbortError'))
  onTestFinished(() => request.mockRestore())
  expect((await second.store.follow('a')).writer).toBe('elsewhere')
})

describe('the index', () => {
  test('has what a page stored last that died without a word', async () => {
    const { first, second, session } = await two()
    const { index } = second.store
    await expect.poll(() => index.current).toMatchObject([{ length: 3, writer: 'elsewhere' }])
    session.append('turn/start', { turn: 2 })
    while (session.durable < session.seq) await first.connection.call('ping')
    first.crash()
    await expect.poll(() => index.current, { timeout: 5000 }).toMatchObject([{ length: 4, writer: 'none' }])
  })
})

test('what a page sent as it went, and what is stored after its lock was free, is seen by followers and the index', async () => {
  const { first, second, session } = await two()
  const { index } = second.store
  const view = await second.store.follow('a')
  await expect.poll(() => index.current).toMatchObject([{ writer: 'elsewhere' }])
  const { epoch } = (await rows(first.name)).find(({ id }) => id === session.id)!
  first.crash()
  await expect.poll(() => [view.writer, index.current[0]!.writer], { timeout: 5000 }).toEqual(['none', 'none'])
  await write(second, 'a', epoch, log(turn(1), start(2)).slice(3))
  await expect.poll(() => [view.seq, index.current[0]!.length], { timeout: 5000 }).toEqual([4, 4])
})

describe('a follower', () => {
  test('that could not read reads again, without a word from anybody', async () => {
    const { first, second, session } = await two()
    const view = await second.store.follow('a')
    beforeCall(second, 'read', () => {
      throw new SessionStoreError('BLOCKED', 'a transaction of another tab')
    })
    appendTurn(session, 'hi', 'hello')
    await first.store.flush(session)
    await expect.poll(() => view.events, { timeout: 5000 }).toEqual(session.events)
  })

  test('whose store is closed while it reads says nothing on the console', async () => {
    const { first, second, session } = await two()
    const said = vi.spyOn(console, 'error')
    onTestFinished(() => said.mockRestore())
    const view = await second.store.follow('a')
    const { opened: reading, open } = gate()
    beforeCall(second, 'read', open)
    appendTurn(session, 'hi', 'hello')
    await first.store.flush(session)
    await reading
    await second.store.close()
    expect(view.state).toBe('released')
    expect(said).not.toHaveBeenCalled()
  })
})

test('a delete that cannot ask for one lock frees the others', async () => {
  const { first } = await two()
  await first.store.create('b', { seed: log(turn(1)) })
  await first.store.release(first.store.get('b')!)
  const request = navigator.locks.request.bind(navigator.locks) as (...args: unknown[]) => Promise<unknown>
  const spy = vi.spyOn(navigator.locks, 'request')
  onTestFinished(() => spy.mockRestore())
  const failing = (name: string, ...rest: unknown[]): Promise<unknown> =>
    name === sessionLock(first.name, 'c') ? Promise.reject(new Error('no locks')) : request(name, ...rest)
  spy.mockImplementation(failing)
  await expect(first.store.delete(['b', 'c'])).rejects.toThrow('no locks')
  expect((await first.store.load('b')).state).toBe('live')
})

test('a session that was robbed says who has it, and tells so', async () => {
  const { first, session } = await two()
  const { opened: told, open } = gate()
  session.subscribe(() => session.writer === 'elsewhere' && open())
  await steal(first, 'a')
  await told
  expect(session.state).toBe('conflict')
})
