/** How a stored session becomes live here. `SessionStore.load` says more. */
import type { Right } from './locks.js'
import { interruptedTurnClosers } from './log/closers.js'
import type { SessionId } from './log/event.js'
import { GrowingLog } from './log/growing.js'
import { freezeJson } from './log/json.js'
import { encodeSegments } from './log/jsonl.js'
import type { Rules } from './log/turns.js'
import { pauser, readLog, type StoredLog } from './reading.js'
import type { Registry } from './registry.js'
import { markSeed } from './seeding.js'
import type { Session } from './session.js'
import { locked } from './takeover.js'
import { SessionStoreError } from './wire/errors.js'
import { randomToken } from './wire/token.js'

/** How often a load reads again when the stored log changes under it. */
const LOAD_TRIES = 5

/** @param isForced whoever writes it has to let go */
export async function loadSession(
  registry: Registry,
  rules: Rules,
  id: SessionId,
  isForced: boolean,
): Promise<Session> {
  // One that is live may be on its way out: it is its turn that tells.
  return registry.queues.exclusive([id], async () => {
    const live = registry.keep(id)
    if (live !== undefined) return live.session
    const { tabs } = registry
    // Nobody has to let go of what cannot be read here.
    let seen = isForced ? await readOn(registry, id) : undefined
    const right = await (isForced ? tabs.takeOver(id) : tabs.take(id))
    try {
      for (let tries = 0; tries < LOAD_TRIES; tries++) {
        seen = await readOn(registry, id, seen)
        const session = await tryLoad(registry, rules, seen, right, isForced)
        if (session !== undefined) return session
      }
    } catch (error) {
      right.release()
      throw error
    }
    right.release()
    const message = `others keep changing the session '${id}'; try again`
    throw new SessionStoreError('SESSION_CONFLICT', message, { sessionId: id })
  })
}

/** The whole log: `seen`, and what has come since. Throws what keeps it from being loaded. */
async function readOn(registry: Registry, id: SessionId, seen?: StoredLog): Promise<StoredLog> {
  const before = seen?.events ?? []
  const read = await readLog(registry.connection, id, registry.ownTypes, { from: before.length })
  // Another one has taken its place.
  if (seen !== undefined && read.log !== seen.log) return readOn(registry, id)
  if (read.damage !== undefined) throw read.damage
  return { ...read, events: [...before, ...read.events] }
}

/** Undefined when the log changed between reading and taking over. */
async function tryLoad(
  registry: Registry,
  rules: Rules,
  { header, log: name, epoch, events }: StoredLog,
  right: Right,
  isForced: boolean,
): Promise<Session | undefined> {
  const { connection, tabs } = registry
  const { id } = header
  const length = events.length
  // It grows, and the next try goes on from what was read.
  const log = new GrowingLog([...events])
  for (const closer of interruptedTurnClosers(events)) log.push(freezeJson(closer))
  // Without locks a turn that is being written looks like one that a crash left open.
  if (log.length > length && !isForced && !tabs.locks.areThere && (await tabs.isElsewhere(id))) throw locked(id)
  await log.fold(pauser())
  const firstLiveSeq = log.length
  markSeed(log, rules)
  const op = randomToken()
  const segments = encodeSegments(log.slice(length))
  // To go on would rob the robber.
  if (right.isStolen) throw locked(id)
  const stored = await connection.call('load', { id, op, seen: { log: name, length, epoch }, segments })
  if (stored === 'changed') return undefined
  if (right.isStolen) throw locked(id)
  const core = registry.enter(header, log, firstLiveSeq, { epoch: op, stored: name, right })
  core.outbox.start(stored)
  // What was still on its way from a tab that was robbed, that tab tells nobody of.
  if (stored > length || isForced) registry.grown(core)
  registry.announce(core)
  tabs.tellWriter(id, true)
  return core.session
}
