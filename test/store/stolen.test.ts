/** A session whose lock is taken by force while its page is still about to get it. */
// Before everything that looks for locks.
import '../support/fake-locks.js'
import { expect, test } from 'vitest'
import { log, turn } from '../log/support.js'
import { overtake, write } from '../support/behind.js'
import { afterCall, beforeCall, gate } from '../support/calls.js'
import { page, tab } from '../support/lifetime.js'
import { steal } from '../support/robber.js'

/** A stored session 'a' of one turn that nobody has, and two tabs. */
async function free() {
  const first = await page()
  await first.store.release(await first.store.create('a', { seed: log(turn(1)) }))
  return { first, second: await tab(first) }
}

test('a load that was robbed does not rob the robber', async () => {
  const { first, second } = await free()
  let epoch = ''
  beforeCall(first, 'load', async () => {
    await steal(first, 'a')
    epoch = await overtake(second, 'a')
  })
  await expect(first.store.load('a')).rejects.toMatchObject({ code: 'SESSION_LOCKED' })
  await write(second, 'a', epoch, log(turn(1), turn(2)).slice(3))
  expect((await second.store.inspect('a')).events).toHaveLength(6)
})

test('a load that is robbed when it is stored already gives nothing live', async () => {
  const { first } = await free()
  afterCall(first, 'load', () => steal(first, 'a'))
  await expect(first.store.load('a')).rejects.toMatchObject({ code: 'SESSION_LOCKED' })
  expect(first.store.get('a')).toBeUndefined()
})

test('a create that is robbed is a SESSION_CONFLICT, and what was appended meanwhile can be kept', async () => {
  const first = await page()
  const { opened: created, open } = gate()
  first.store.on('session/created', open)
  beforeCall(first, 'create', async () => {
    await created
    first.store.get('a')!.append('turn/start', { turn: 1 })
    await steal(first, 'a')
  })
  const session = created.then(() => first.store.get('a')!)
  await expect(first.store.create('a')).rejects.toMatchObject({ code: 'SESSION_CONFLICT' })
  expect((await session).state).toBe('conflict')
  expect((await (await session).saveAsFork('b')).seq).toBe(1)
})

test.each(['load', 'fork'] as const)('who is asked during its %s lets go after it, and is not robbed', async (how) => {
  const { first, second } = await free()
  const id = how === 'load' ? 'a' : 'b'
  const { opened: asked, open } = gate()
  first.store.on('session/disposed', open)
  let taking: Promise<unknown> = Promise.resolve()
  const channel = new BroadcastChannel(`idb-sessions:${first.name}`)
  // What is not stored yet is not there for others.
  const during = how === 'load' ? beforeCall : afterCall
  during(first, how, async () => {
    const { opened: heard, open: hear } = gate()
    channel.addEventListener('message', ({ data }) => (data as { kind: string }).kind === 'asked' && hear())
    taking = second.store.load(id, { takeOver: true })
    await heard
  })
  const session = await (how === 'load' ? first.store.load('a') : first.store.fork('a', 2, 'b'))
  expect(await taking).toMatchObject({ state: 'live', seq: 3 })
  await asked
  expect(session.state).toBe('released')
  channel.close()
})
