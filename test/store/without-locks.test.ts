/** Tabs that have no Web Locks, as over plain http, and ask each other who writes what. Real ones are in `test/tabs`. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { log, turn } from '../log/support.js'
import { gate } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { hasLocks, type Page } from '../support/page.js'

/** A tab with a live session 'a' of one turn, and another tab, which has heard of nobody yet. */
async function two() {
  const first = await page()
  const session = await first.store.create('a', { seed: log(turn(1)) })
  return { first, session, second: await tab(first) }
}

/** Another tab that says what it likes, to whoever spoke last, when it hears something. */
function script({ name }: Page, heard: (message: { kind: string; id: string }) => void): (message: object) => void {
  const channel = new BroadcastChannel(`idb-sessions:${name}`)
  onTestFinished(() => channel.close())
  let to = ''
  channel.onmessage = ({ data }) => {
    to = (data as { from: string }).from
    heard(data as { kind: string; id: string })
  }
  return (message) => channel.postMessage({ protocol: 1, from: 'script', to, ...message })
}

describe.skipIf(hasLocks)('a delete without Web Locks (Node only: there are none)', () => {
  test('leaves what another tab has live, also before that tab was heard of', async () => {
    const { second } = await two()
    expect(await second.store.delete('a')).toEqual([{ id: 'a', outcome: 'locked' }])
  })

  test('asks for all sessions at once', async () => {
    const opened = await page()
    const asked: string[] = []
    const post = script(opened, ({ kind, id }) => {
      if (kind === 'who') asked.push(id)
      if (asked.length === 3) for (const id of asked.splice(0)) post({ kind: 'here', id })
    })
    const outcomes = await opened.store.delete(['a', 'b', 'c'])
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['locked', 'locked', 'locked'])
  })
})

describe.skipIf(hasLocks)('who writes a session, without Web Locks (Node only: the same)', () => {
  test('is nobody any more when its tab has died, for lists', async () => {
    const { first, second } = await two()
    expect((await second.store.follow('a')).writer).toBe('elsewhere')
    first.crash()
    expect(await second.store.stored()).toMatchObject([{ writer: 'none' }])
  })

  test('and for who follows it, without a word from anybody', async () => {
    const { first, second } = await two()
    const view = await second.store.follow('a')
    first.crash()
    await expect.poll(() => view.writer, { timeout: 10_000 }).toBe('none')
  })

  test('is who begins while one asks', async () => {
    const { first, second, session } = await two()
    await first.store.release(session)
    const { opened: asked, open: ask } = gate()
    script(first, ({ kind }) => kind === 'who' && ask())
    const following = second.store.follow('a')
    await asked
    await first.store.load('a')
    expect((await following).writer).toBe('elsewhere')
  })

  test('is who answers late, since it was busy', async () => {
    const { first, second, session } = await two()
    await first.store.release(session)
    const post = script(first, () => {})
    const view = await second.store.follow('a')
    post({ kind: 'here', id: 'a' })
    await expect.poll(() => view.writer).toBe('elsewhere')
  })
})
