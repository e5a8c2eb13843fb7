/** Whole logs, read from the worker part by part. */
import type { Connection } from './connection.js'
import type { SessionEvent, SessionId } from './log/event.js'
import type { GrowingLog } from './log/growing.js'
import { encodeHeader, type SessionHeader } from './log/header.js'
import { clipLines, decodeLines, encodeSegments } from './log/jsonl.js'
import { forkPointsOf, type ForkPoint } from './log/turns.js'
import { isUnderstood } from './log/vocabulary.js'
import { SessionStoreError } from './wire/errors.js'
import type { Part, Reading } from './wire/protocol.js'

/** A page that decodes longer than this without a pause cannot answer its user, ms. */
const SLICE_TIME = 12

export interface StoredLog {
  header: SessionHeader
  /** What tells this log from a later one with the same id. */
  log: string
  epoch: string
  /** Those that were asked for, frozen; fewer of them when there is `damage`. */
  events: SessionEvent[]
  damage?: SessionStoreError
  /** Whether they reach the end of what is stored. */
  isWhole: boolean
}

/**
 * Throws `FORMAT_UNSUPPORTED` at an event that this page does not know and may not ignore.
 * @param from the first event to read; default 0
 * @param upTo the last one; default: that of the log
 */
export async function readLog(
  connection: Connection,
  id: SessionId,
  ownTypes: ReadonlySet<string>,
  { from = 0, upTo = Infinity }: { from?: number; upTo?: number } = {},
): Promise<StoredLog> {
  const events: SessionEvent[] = []
  const pause = pauser()
  const last = await eachPart(connection, id, [from, upTo], async (part) => {
    for (const event of decodePart(id, part)) {
      const seq = from + events.length
      if (event.seq !== seq) throw corrupt(id, { readable: seq, reason: 'the stored seqs have a gap' })
      if (!isUnderstood(event, ownTypes)) throw unknownType(id, event)
      events.push(event)
      if (event.seq === upTo) return false
    }
    await pause()
    return true
  })
  const { header, log, epoch, length, damage } = last
  const read = { header: Object.freeze(header), log, epoch, events, isWhole: from + events.length === length }
  return damage === undefined ? read : { ...read, damage: corrupt(id, damage) }
}

/** Bytes can be as they were written, and yet not be what their record says. */
function decodePart(id: SessionId, { first, count, bytes }: Part): SessionEvent[] {
  let events: SessionEvent[] = []
  try {
    events = decodeLines(bytes)
  } catch {
    // Fewer than there should be.
  }
  if (events.length === count && events[0]?.seq === first) return events
  throw corrupt(id, { readable: first, reason: `the record of event ${first} and after is damaged` })
}

/** Parts without a `turn/end` are not decoded. */
export async function readForkPoints(connection: Connection, id: SessionId): Promise<ForkPoint[]> {
  const points: ForkPoint[] = []
  const pause = pauser()
  const { damage } = await eachPart(connection, id, [0, Infinity], async (part) => {
    if (part.hasEnd) points.push(...forkPointsOf(decodePart(id, part)))
    await pause()
    return true
  })
  if (damage !== undefined) throw corrupt(id, damage)
  return points
}

/** A session that is live here, whose memory knows more than is stored. */
export interface LiveLog {
  header: SessionHeader
  log: GrowingLog
  epoch: string
}

/**
 * A log as a file, a piece at a time: its header, its stored lines as they are, then what `live` holds beyond them. Of
 * a damaged log that is not live, the readable part. With `live`, memory stands in for whatever cannot be read.
 */
export async function* logFile(
  connection: Connection,
  id: SessionId,
  live: LiveLog | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  // What comes after the call belongs to the next export.
  const liveLength = live?.log.length
  let reading = await readOrMiss(connection, id, 0, live)
  const header = live?.header ?? reading!.header
  const length = liveLength ?? reading!.length
  const first = reading?.log
  yield new TextEncoder().encode(`${encodeHeader(header)}\n`)
  let at = 0
  while (reading !== undefined && at < length) {
    for (const part of reading.parts) {
      const count = Math.min(part.count, length - at)
      if (count > 0) yield count === part.count ? (part.original ?? part.bytes) : clipLines(part.bytes, count)
      at += count
    }
    if (at >= Math.min(length, reading.length) || reading.damage !== undefined) break
    reading = await readOrMiss(connection, id, at, live)
    if (reading !== undefined && reading.log !== first) throw replaced(id)
  }
  if (live === undefined) return
  for (const segment of encodeSegments(live.log.slice(at, length))) yield segment.bytes
}

/** The pieces of a file as a stream. Rejects, instead of the stream, when there is not even a first one to be had. */
export async function streamFile(
  file: AsyncGenerator<Uint8Array, void, undefined>,
): Promise<ReadableStream<Uint8Array>> {
  let next: Promise<IteratorResult<Uint8Array, void>> | undefined = Promise.resolve(await file.next())
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await (next ?? file.next())
      next = undefined
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await file.return()
    },
  })
}

/** Undefined when `live` is there and storage has nothing of it to give. */
async function readOrMiss(
  connection: Connection,
  id: SessionId,
  from: number,
  live: LiveLog | undefined,
): Promise<Reading | undefined> {
  try {
    const reading = await connection.call('read', id, from)
    return live === undefined || reading.epoch === live.epoch ? reading : undefined
  } catch (error) {
    if (live === undefined) throw error
    return undefined
  }
}

/**
 * Asks for part after part, from `from` on, until `visit` has enough, the log's end, its damage, or another log in its place.
 * While this page decodes some parts, the worker reads the next ones, unless they lie after `upTo`.
 */
async function eachPart(
  connection: Connection,
  id: SessionId,
  [from, upTo]: readonly [from: number, upTo: number],
  visit: (part: Part) => Promise<boolean>,
): Promise<Reading> {
  const first = await connection.call('read', id, from)
  let reading = first
  for (;;) {
    const { parts, damage, length } = reading
    const last = parts.at(-1)
    const end = last === undefined ? length : last.first + last.count
    const isLast = damage !== undefined || end >= length || end > upTo
    const ahead = isLast ? undefined : connection.call('read', id, end)
    // Whoever has enough does not wait for it.
    ahead?.catch(() => {})
    for (const part of parts) if (!(await visit(part))) return reading
    if (ahead === undefined) return reading
    reading = await ahead
    if (reading.log !== first.log) throw replaced(id)
  }
}

export function replaced(id: SessionId): SessionStoreError {
  const message = `the session '${id}' was deleted and made anew while it was read`
  return new SessionStoreError('SESSION_NOT_FOUND', message, { sessionId: id })
}

export function corrupt(id: SessionId, { readable, reason }: { readable: number; reason: string }): SessionStoreError {
  const message = `${reason}; the first ${readable} events can be forked and exported`
  return new SessionStoreError('SESSION_CORRUPT', message, { sessionId: id, readable })
}

function unknownType(id: SessionId, { type, seq }: SessionEvent): SessionStoreError {
  const message = `event ${seq} is of the unknown type '${type}'; update the page, or name the type in eventTypes`
  return new SessionStoreError('FORMAT_UNSUPPORTED', message, { sessionId: id })
}

/** Gives the page a turn when the last one is a while ago. */
export function pauser(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < SLICE_TIME) return
    await new Promise((resolve) => setTimeout(resolve))
    since = performance.now()
  }
}
