/** The end of a store: nothing may be live when its worker ends. */
import type { SessionCore } from './core.js'
import type { Registry } from './registry.js'

/**
 * Releases every session, also those that come meanwhile, and calls `done` as soon as none is left. Rejects when one
 * cannot be stored; what is left stays live.
 */
export async function releaseAll(registry: Registry, done: () => void): Promise<void> {
  registry.isClosing = true
  try {
    for (;;) {
      await registry.queues.idle()
      const live = registry.all()
      if (live.length === 0) return done()
      await Promise.all(live.map((core) => releaseOrLose(registry, core)))
    }
  } finally {
    registry.isClosing = false
  }
}

/** One that another tab has deleted holds nothing that could be stored. */
async function releaseOrLose(registry: Registry, { session }: SessionCore): Promise<void> {
  await registry.release(session).catch((error: unknown) => {
    if (session.state !== 'deleted') throw error
  })
}
