/** Two logs side by side: what they have in common, and how each goes on. */
import { notFound } from './ids.js'
import type { SessionEvent, SessionId } from './log/event.js'
import type { GrowingLog } from './log/growing.js'
import { pauser, readLog, replaced } from './reading.js'
import type { Registry } from './registry.js'
import type { Shared } from './wire/protocol.js'

export interface Comparison {
  /** How many events both begin with, event for event. */
  shared: number
  /** What follows them in each: frozen. */
  a: readonly SessionEvent[]
  b: readonly SessionEvent[]
}

/** One of the two, as it is at the moment of the call. */
interface Side {
  id: SessionId
  /** Of a session that is live here, whose memory knows more than is stored. */
  live: { log: GrowingLog; length: number; epoch: string } | undefined
}

/** `SessionStore.compare` says more. */
export async function compareLogs(registry: Registry, a: SessionId, b: SessionId): Promise<Comparison> {
  const [sideA, sideB] = [sideOf(registry, a), sideOf(registry, b)]
  const stored = await registry.connection.call('shared', a, b)
  // What is stored of a session says nothing about memory when another writer has taken it over, or made it anew.
  const isMemory = ({ live }: Side, there: Shared['a']): boolean => live !== undefined && live.epoch !== there?.epoch
  const lengths = [stored.shared, sideA.live?.length ?? Infinity, sideB.live?.length ?? Infinity]
  const from = isMemory(sideA, stored.a) || isMemory(sideB, stored.b) ? 0 : Math.min(...lengths)
  const [restA, restB] = await Promise.all([
    restOf(registry, sideA, stored.a, from),
    restOf(registry, sideB, stored.b, from),
  ])
  const more = await alikeFor(restA, restB)
  return { shared: from + more, a: Object.freeze(restA.slice(more)), b: Object.freeze(restB.slice(more)) }
}

function sideOf(registry: Registry, id: SessionId): Side {
  const core = registry.get(id)
  return { id, live: core && { log: core.log, length: core.log.length, epoch: core.outbox.epoch } }
}

async function restOf(
  { connection, ownTypes }: Registry,
  { id, live }: Side,
  there: Shared['a'],
  from: number,
): Promise<SessionEvent[]> {
  if (live !== undefined) return live.log.slice(from, live.length)
  if (there === undefined) throw notFound(id)
  if (from === there.length) return []
  const { log, events, damage } = await readLog(connection, id, ownTypes, { from, upTo: there.length - 1 })
  if (log !== there.log) throw replaced(id)
  if (damage !== undefined) throw damage
  return events
}

/** How many events both begin with: the same JSON text, key order included, as where DSH compares logs (`spec` 6.6). */
async function alikeFor(a: readonly SessionEvent[], b: readonly SessionEvent[]): Promise<number> {
  const pause = pauser()
  let alike = 0
  while (alike < a.length && alike < b.length) {
    if (a[alike] !== b[alike] && JSON.stringify(a[alike]) !== JSON.stringify(b[alike])) break
    alike++
    await pause()
  }
  return alike
}
