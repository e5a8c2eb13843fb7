/** Titles that are kept beside the log. `SessionStore.setTitle` says more. */
import { requireId } from './ids.js'
import type { SessionId } from './log/event.js'
import { shortTitle } from './log/summary.js'
import type { Registry } from './registry.js'
import type { SessionStoreError } from './wire/errors.js'

export async function setTitle(registry: Registry, id: SessionId, title: unknown): Promise<void> {
  requireId(id)
  if (typeof title !== 'string') throw new TypeError('a title is a string; the empty one takes the set title away')
  const { connection, presence } = registry
  const set = () => connection.call('setTitle', id, shortTitle(title), presence.token)
  // In turn with what makes or deletes the session.
  await registry.queues.exclusive([id], async () => {
    // Set twice is set: a worker that died may have answered before.
    const row = await set().catch((error: unknown) => {
      if ((error as SessionStoreError).code !== 'WORKER_FAILED') throw error
      return set()
    })
    // What is only reserved is told of when it is listed.
    if (row !== undefined) registry.changed({ id, kind: 'titled', length: row.length })
  })
}
