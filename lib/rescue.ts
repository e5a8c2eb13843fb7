/** What a session that was overtaken still has in common with what is stored. */
import type { SessionCore } from './core.js'
import { readLog } from './reading.js'
import type { Registry } from './registry.js'
import { SessionStoreError } from './wire/errors.js'

/** Events that both begin with, event for event as JSON text. Undefined: the stored log is gone, or another one. */
export async function commonLength(registry: Registry, lost: SessionCore): Promise<number | undefined> {
  // What is known to be stored is common: a log only grows.
  const from = lost.durable
  try {
    const read = await readLog(registry.connection, lost.header.id, registry.ownTypes, { from })
    if (read.log !== lost.stored) return undefined
    let common = from
    for (const event of read.events) {
      if (JSON.stringify(lost.log.at(common)) !== JSON.stringify(event)) break
      common++
    }
    return common
  } catch (error) {
    const code = error instanceof SessionStoreError ? error.code : undefined
    if (code === 'SESSION_NOT_FOUND') return undefined
    // What the other tab wrote cannot be read here; that does not make it less common up to there.
    if (code === 'FORMAT_UNSUPPORTED' || code === 'SESSION_CORRUPT') return from
    throw error
  }
}
