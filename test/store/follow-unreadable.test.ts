/** A follower that meets what it cannot read: the store's status says so, for as long as it matters. */
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from 'idb-sessions'
import { log, turn } from '../log/support.js'
import { overtake, write } from '../support/behind.js'
import { page, tab } from '../support/lifetime.js'
import { damage } from '../support/records.js'

const NOTE = { type: 'app/note', seq: 3, time: 1, data: {} } as unknown as SessionEvent

/** Turns every bit over in what is stored of 'a' from its second turn on; done twice, it is as before. */
async function flip(name: string): Promise<void> {
  await damage(name, (segment) =>
    segment.first < 3 ? segment : { ...segment, bytes: segment.bytes.map((byte) => byte ^ 255) },
  )
}

/** A view of 'a', which is live nowhere, of one turn; and what appends to it behind its back. */
async function followed() {
  const first = await page()
  await first.store.release(await first.store.create('a', { seed: log(turn(1)) }))
  const second = await tab(first)
  const view = await second.store.follow('a')
  const epoch = await overtake(first, 'a')
  /** The follower hears that the log has grown. */
  const hint = (): void => {
    const channel = new BroadcastChannel(`idb-sessions:${first.name}`)
    channel.postMessage({ protocol: 1, from: 'x', kind: 'changed', id: 'a', change: 'grown', length: 6 })
    channel.close()
  }
  return { first, second, view, hint, append: (events: SessionEvent[]) => write(first, 'a', epoch, events) }
}

async function damaged() {
  const it = await followed()
  await it.append(log(turn(1), turn(2)).slice(3))
  await flip(it.first.name)
  it.hint()
  return it
}

async function unknown() {
  const it = await followed()
  await it.append([NOTE])
  it.hint()
  return it
}

describe.each([
  ['damaged', 'SESSION_CORRUPT', damaged],
  ['of an unknown type', 'FORMAT_UNSUPPORTED', unknown],
])('what is %s', (_, code, meet) => {
  test(`makes the status 'failed' with ${code}, and the view keeps what it has`, async () => {
    const told: unknown[] = []
    const { second, view } = await meet()
    second.store.on('status', (status, cause) => void told.push(status, cause))
    await expect.poll(() => second.store.status).toBe('failed')
    expect(told).toEqual(['failed', expect.objectContaining({ code, sessionId: 'a' })])
    expect(view).toMatchObject({ state: 'following', seq: 3 })
  })

  test('is none of the store’s troubles once the view is closed', async () => {
    const { second, view } = await meet()
    await expect.poll(() => second.store.status).toBe('failed')
    view.close()
    expect(second.store.status).toBe('ready')
  })

  test('is told while other calls work', async () => {
    const { second } = await meet()
    await expect.poll(() => second.store.status).toBe('failed')
    await second.store.create('b', { seed: log(turn(1)) })
    expect(second.store.status).toBe('failed')
  })

  test('is over when the session is deleted', async () => {
    const { first, second, view } = await meet()
    await expect.poll(() => second.store.status).toBe('failed')
    await first.store.delete('a')
    await expect.poll(() => view.state).toBe('deleted')
    expect(second.store.status).toBe('ready')
  })
})

test('what can be read again is read with the next hint, and told of', async () => {
  const { first, second, view, hint } = await damaged()
  await expect.poll(() => second.store.status).toBe('failed')
  await flip(first.name)
  hint()
  await expect.poll(() => view.seq).toBe(6)
  await expect.poll(() => second.store.status).toBe('ready')
})
