/** Deleting sessions, live here or stored. `SessionStore.delete` says more. */
import type { Connection } from './connection.js'
import type { SessionCore } from './core.js'
import { notAnId, requireId } from './ids.js'
import type { Right } from './locks.js'
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
  return registry.queues.exclusive(unique, async () => {
    const rights = new Map<SessionId, Right>()
    const live: SessionCore[] = []
    try {
      for (const id of unique) {
        const core = registry.get(id)
        // Away from the page, another tab may have taken it.
        await core?.regaining
        const right = core?.right
        if (core === undefined || right === undefined) continue
        // It keeps its lock until it is gone, so that no other tab loads it in between.
        rights.set(id, right)
        core.right = undefined
        live.push(core)
        registry.leave(core, 'deleted')
        await registry.takeBack(core)
      }
      const others = unique.filter((id) => !rights.has(id))
      const asked = await Promise.allSettled(
        others.map(async (id) => {
          const right = await takeIfFree(registry, id)
          if (right !== undefined) rights.set(id, right)
        }),
      )
      for (const each of asked) if (each.status === 'rejected') throw each.reason
      const stored = await deleteStored(registry.connection, [...rights.keys()])
      const gone = new Set([...stored, ...live.map(({ header }) => header.id)])
      // What was only reserved was never told of.
      const listed = new Set([...stored, ...live.filter((core) => !core.isReserved).map(({ header }) => header.id)])
      for (const id of listed) registry.changed({ id, kind: 'deleted', length: 0 })
      const outcomeOf = (id: SessionId): DeleteOutcome['outcome'] =>
        gone.has(id) ? 'deleted' : rights.has(id) ? 'missing' : 'locked'
      return wanted.map((id) => ({ id, outcome: outcomeOf(id) }))
    } catch (error) {
      for (const core of live) core.leave('released')
      throw error
    } finally {
      for (const right of rights.values()) right.release()
    }
  })
}

/** Undefined when another tab has it live. Where there are no locks, such a tab is asked: a page that is alone knows so soon. */
async function takeIfFree({ tabs }: Registry, id: SessionId): Promise<Right | undefined> {
  if (!tabs.locks.areThere && (await tabs.isElsewhere(id))) return undefined
  return tabs.locks.take(id)
}

/** Those that are gone by now. One that was asked for twice, since the answer was lost, is. */
async function deleteStored(connection: Connection, ids: readonly SessionId[]): Promise<SessionId[]> {
  let isResent = false
  const outcomes = await connection.call('delete', ids).catch((error: unknown) => {
    if ((error as SessionStoreError).code !== 'WORKER_FAILED') throw error
    isResent = true
    return connection.call('delete', ids)
  })
  if (outcomes.includes('deleted')) connection.secured()
  return ids.filter((_, i) => isResent || outcomes[i] === 'deleted')
}
