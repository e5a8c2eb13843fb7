/** A worker that dies in the middle of it while the page lives on. In Node the model test has it too, at many places. */
import { expect, test } from 'vitest'
import { page, tab } from '../support/lifetime.js'
import { shapes } from '../support/shapes.js'
import { ticks } from './compare.js'

test('after the death of a worker everything is stored once and in order', { timeout: 60_000 }, async () => {
  const first = await page()
  const { store } = first
  const sessions = await Promise.all(['a', 'b', 'c'].map((id) => store.create(id)))
  for (const session of sessions) {
    shapes.packedChunks(session, 20)
    await ticks(40)
  }
  const before = sessions.map(({ durable }) => durable)
  first.killWorker()
  for (const session of sessions) shapes.chat(session, 2)
  // Those that were under way are told of the death, those that come after it meet a new worker.
  await Promise.allSettled(sessions.map((session) => store.flush(session)))
  for (const session of sessions) expect(await store.flush(session)).toBe(true)

  expect(sessions.every(({ durable }, i) => durable > before[i]!)).toBe(true)
  const { store: other } = await tab(first)
  for (const session of sessions) {
    expect((await other.inspect(session.id)).events).toEqual(session.events)
  }
})
