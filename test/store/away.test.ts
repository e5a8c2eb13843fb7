/** A page that goes into the back/forward cache and comes back, in Node: a real one does so in `test/tabs`. */
// Before everything that looks for them.
import '../support/fake-locks.js'
import { comeBack, leavePage } from '../support/fake-page.js'
import { describe, expect, test } from 'vitest'
import type { Session } from 'idb-sessions'
import { sessionLock } from '../../lib/wire/protocol.js'
import { log, turn } from '../log/support.js'
import { overtake } from '../support/behind.js'
import { beforeCall, gate } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn } from '../support/logs.js'
import { inBrowser, type Page } from '../support/page.js'
import { holdSilently } from '../support/robber.js'

async function isHeld({ name }: Page, id: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query()
  return held.some((lock) => lock.name === sessionLock(name, id))
}

async function live(): Promise<{ opened: Page; session: Session }> {
  const opened = await page()
  return { opened, session: await opened.store.create('a', { seed: log(turn(1)) }) }
}

describe.skipIf(inBrowser)('while the page is away (in Node only: a real one goes away in `test/tabs`)', () => {
  test('it holds no lock, and what is appended is sent when it is back', async () => {
    const { opened, session } = await live()
    leavePage()
    appendTurn(session, 'hi', 'hello')
    await expect.poll(() => isHeld(opened, 'a')).toBe(false)
    comeBack()
    expect(await opened.store.flush(session)).toBe(true)
    expect(await isHeld(opened, 'a')).toBe(true)
  })

  test('what was appended before is sent, also behind a batch that was on its way', async () => {
    const { opened, session } = await live()
    const { opened: sending, open: send } = gate()
    const { opened: arrived, open: arrive } = gate()
    beforeCall(opened, 'append', () => {
      send()
      return arrived
    })
    session.append('turn/start', { turn: 2 })
    await sending
    session.append('step/start', { turn: 2, step: 1 })
    leavePage()
    arrive()
    await expect.poll(() => session.durable).toBe(5)
    comeBack()
  })

  test('what comes to be live there holds none either, and sends nothing before the page is back', async () => {
    const opened = await page()
    beforeCall(opened, 'create', leavePage)
    const session = await opened.store.create('a', { seed: log(turn(1)) })
    appendTurn(session, 'hi', 'hello')
    expect(await isHeld(opened, 'a')).toBe(false)
    await overtake(await tab(opened), 'a')
    comeBack()
    await expect(opened.store.flush(session)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' })
  })
})

describe.skipIf(inBrowser)('a page that is back (in Node only: the same)', () => {
  test('a session that another tab has by now is locked for delete', async () => {
    const { opened } = await live()
    leavePage()
    await holdSilently(opened, 'a')
    comeBack()
    expect(await opened.store.delete('a')).toEqual([{ id: 'a', outcome: 'locked' }])
    expect((await opened.store.inspect('a')).events).toHaveLength(3)
  })

  test('one that nobody has taken is deleted', async () => {
    const { opened, session } = await live()
    leavePage()
    comeBack()
    expect(await opened.store.delete('a')).toEqual([{ id: 'a', outcome: 'deleted' }])
    expect(session.state).toBe('deleted')
  })

  test('robs nobody whose answer it could not hear', async () => {
    const { opened, session } = await live()
    await opened.store.release(session)
    const { robbed, letGo } = await holdSilently(opened, 'a')
    const { opened: asked, open: ask } = gate()
    const channel = new BroadcastChannel(`idb-sessions:${opened.name}`)
    channel.onmessage = ({ data }) => (data as { kind: string }).kind === 'ask' && ask()
    const taking = opened.store.load('a', { takeOver: true })
    await asked
    leavePage()
    comeBack()
    await expect(taking).rejects.toMatchObject({ code: 'SESSION_LOCKED' })
    letGo()
    expect(await robbed).toBeUndefined()
    channel.close()
  })

  test('and gone once more before it has its lock again, it takes none', async () => {
    const { opened, session } = await live()
    leavePage()
    const { letGo } = await holdSilently(opened, 'a')
    comeBack()
    leavePage()
    letGo()
    await expect.poll(() => isHeld(opened, 'a')).toBe(false)
    expect(session.state).toBe('live')
    comeBack()
    await expect.poll(() => isHeld(opened, 'a')).toBe(true)
    expect(session.state).toBe('live')
  })
})
