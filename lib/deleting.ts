/** Deleting sessions, live here or stored. `SessionStore.delete` says more. */
import type { Connection } from './connection.js'
import { notAnId, requireId } from './ids.js'
import type { HeldLock } from './locks.js'
import type { SessionId } from './log/event.js'
import type { Registry } from './registry.js'
import type { SessionStoreError } from './wire/errors.js'

export interface DeleteOutcome {
  id: SessionId
  /** 'locked': live in another tab. */
  outcome: 'deleted' | 'missing' | 'locked'
}

export async function deleteSessions(registry: Registry, ids: unknown): Promise<readonly DeleteOutcome[]> {
  if (typeof ids !== 'string' && !Array.isArray(ids)) throw notAnId(ids)
  const wanted: SessionId[] = typeof ids === 'string' ? [ids] : [...(ids as SessionId[])]
  wanted.forEach(requireId)
  const unique = [...new Set(wanted)]
  return registry.exclusive(unique, async () => {
    const live = unique.map((id) => registry.get(id)).filter((core) => core !== undefined)
    // What is live here keeps its lock until it is gone, so that no other tab loads it in between.
    const locks = live.map((core) => core.lock)
    for (const core of live) {
      core.lock = undefined
      registry.leave(core, 'deleted')
      await registry.takeBack(core)
    }
    const here = new Set(live.map(({ header }) => header.id))
    const others = await Promise.all(unique.map(async (id) => (here.has(id) ? undefined : lockOf(registry, id))))
    const free = unique.filter((_, i) => others[i] !== 'locked')
    try {
      const stored = await deleteStored(registry.connection, free).catch((error: unknown) => {
        for (const core of live) core.leave('released')
        throw error
      })
      const gone = new Set([...stored, ...here])
      // What was only reserved was never told of.
      const listed = new Set([...stored, ...live.filter((core) => !core.isReserved).map(({ header }) => header.id)])
      for (const id of listed) registry.changed({ id, kind: 'deleted', length: 0 })
      const outcomeOf = (id: SessionId): DeleteOutcome['outcome'] =>
        gone.has(id) ? 'deleted' : free.includes(id) ? 'missing' : 'locked'
      return wanted.map((id) => ({ id, outcome: outcomeOf(id) }))
    } finally {
      for (const lock of [...locks, ...others]) if (lock !== 'locked') lock?.release()
    }
  })
}

/** Undefined where there is nothing to delete. */
async function lockOf(registry: Registry, id: SessionId): Promise<HeldLock | 'locked' | undefined> {
  const right = await registry.take(id).catch((error: unknown) => {
    if ((error as SessionStoreError).code !== 'SESSION_LOCKED') throw error
    return undefined
  })
  return right === undefined ? 'locked' : right.held
}

/** Those that are gone by now. One that was asked for twice, since the answer was lost, is. */
async function deleteStored(connection: Connection, ids: readonly SessionId[]): Promise<SessionId[]> {
  let isResent = false
  const outcomes = await connection.call('delete', ids).catch((error: unknown) => {
    if ((error as SessionStoreError).code !== 'WORKER_FAILED') throw error
    isResent = true
    return connection.call('delete', ids)
  })
  return ids.filter((_, i) => isResent || outcomes[i] === 'deleted')
}
