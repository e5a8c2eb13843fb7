/** What DSH's reader refuses of stored events, types, shapes and all, without a file. */
import { Context } from '@deepseek-ai/cordis'
import dsh from '@deepseek-ai/dsh-session'
import { PersistenceCoordinator } from '@deepseek-ai/dsh-session-persistence'

const meta = { version: 0, id: 's', createdAt: 1 }

/** @type {unknown[]} */
let stored = []

const context = new Context()
await context.plugin(dsh)
const reader = new PersistenceCoordinator(context, { loadStored: async () => ({ meta, events: stored }) })

/**
 * Rejects when a log with these events could not be read again.
 * @param {unknown[]} events
 */
export async function requireReadable(events) {
  stored = events
  await reader.readFrom(meta.id, 0)
}
