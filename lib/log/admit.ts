/** From what an application hands in to an event of the log: copied, frozen, checked (`spec` 1.3, 1.4, 2.3). */
import { isChunkRow } from './chunks.js'
import { eventProblem, MAX_DEPTH, MAX_EVENT_BYTES } from './check.js'
import type { SessionEvent } from './event.js'
import { GrowingLog } from './growing.js'
import { copyJson } from './json.js'
import { upgradeLegacy } from './legacy.js'
import { isUnderstood, KNOWN_TYPES, REMOVED_TYPES } from './vocabulary.js'

export type Admitted = { event: SessionEvent } | { reason: string }

/** What `append` was called with; none of it is trusted. */
export interface Appended {
  type: unknown
  data: unknown
  intent: { surfaceOp?: unknown; sourceEventSeqs?: unknown } | null | undefined
}

/** The event that an `append` makes. Whether it may come next is the log's to say. */
export function admitAppend(
  { type, data, intent }: Appended,
  seq: number,
  time: number,
  ownTypes: ReadonlySet<string>,
): Admitted {
  const { sourceEventSeqs, surfaceOp } = intent ?? {}
  const event = {
    type,
    seq,
    time,
    data,
    ...(isOwn(type, ownTypes) && { ignorable: true }),
    // Sources before the op: the order in which DSH writes them.
    ...(sourceEventSeqs !== undefined && { sourceEventSeqs }),
    ...(surfaceOp !== undefined && { surfaceOp }),
  }
  return admit(event, ownTypes)
}

/** A seed as the log of a new session, or the first event that may not be in one. */
export function admitSeed(
  seed: unknown,
  ownTypes: ReadonlySet<string>,
): { log: GrowingLog } | { index: number; reason: string } {
  if (!Array.isArray(seed)) return { index: 0, reason: 'a seed must be an array of events' }
  const log = new GrowingLog([])
  for (let index = 0; index < seed.length; index++) {
    const admitted = admit(seed[index], ownTypes)
    if ('reason' in admitted) return { index, reason: admitted.reason }
    let { event } = admitted
    if (event.seq !== index) return { index, reason: `its seq is ${event.seq}` }
    if (event.ignorable !== true && isOwn(event.type, ownTypes)) event = Object.freeze({ ...event, ignorable: true })
    const problem = log.problem(event)
    if (problem !== undefined) return { index, reason: problem }
    log.push(event)
  }
  return { log }
}

function admit(candidate: unknown, ownTypes: ReadonlySet<string>): Admitted {
  const copy = copyJson(candidate, { freeze: true, maxDepth: MAX_DEPTH + 1, maxBytes: MAX_EVENT_BYTES })
  if (!copy.ok) return { reason: `an event must be lossless JSON, not ${copy.reason}` }
  const problem = eventProblem(copy.value)
  if (problem !== undefined) return { reason: problem }
  const event = copy.value as SessionEvent
  // A reader would refuse it, or take it for an event of an old version and change it.
  const present = upgradeLegacy(event, '', () => undefined)
  if (typeof present === 'string') return { reason: present }
  if (present !== event) {
    return { reason: `the data of this '${event.type}' has the shape of an old version; see its type` }
  }
  if (!isUnderstood(event, ownTypes)) {
    return { reason: `'${event.type}' is an unknown event type; name your own types in openSessions({ eventTypes })` }
  }
  // The weight is an upper bound and free; only what comes near the limit is measured.
  if (copy.weight > MAX_EVENT_BYTES && new TextEncoder().encode(JSON.stringify(event)).byteLength > MAX_EVENT_BYTES) {
    return { reason: `an event holds at most ${MAX_EVENT_BYTES >> 20} MiB as JSON; keep large data elsewhere` }
  }
  return { event }
}

function isOwn(type: unknown, ownTypes: ReadonlySet<string>): boolean {
  return typeof type === 'string' && ownTypes.has(type) && !KNOWN_TYPES.has(type)
}

/** What is wrong with the names of an application's own event types, or undefined. */
export function ownTypesProblem(types: unknown): string | undefined {
  if (!Array.isArray(types)) return 'eventTypes must be an array of names'
  if (types.some((type) => typeof type !== 'string' || type === '')) return 'eventTypes holds non-empty strings'
  const taken = (types as string[]).find((type) => REMOVED_TYPES.has(type) || isChunkRow({ type }))
  return taken === undefined ? undefined : `'${taken}' is obsolete or means something else in the format`
}
