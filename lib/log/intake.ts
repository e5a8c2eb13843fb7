/**
 * Reading a session file that comes in pieces: header, lines, segments, with every check on the way (`spec` 7.4, 1.4).
 * It holds one line and the segments that were not fetched yet, whatever the file's size.
 */
import { eventsOfRecord, isChunkRow } from './chunks.js'
import { eventProblem, foremostProblem, MAX_DEPTH, MAX_EVENT_BYTES } from './check.js'
import type { SessionEvent, SessionId } from './event.js'
import { decodeHeader, type SessionHeader } from './header.js'
import { SegmentCutter } from './cutting.js'
import { copyJson } from './json.js'
import { concat, decodeText, type Segment } from './jsonl.js'
import { upgradeLegacy } from './legacy.js'
import { Surface, toolResultIdentity } from './surface.js'
import { isUnderstood } from './vocabulary.js'

/** Why a file is refused. `line` is 1-based. */
export class LogProblem extends Error {
  constructor(
    readonly code: 'INVALID_LOG' | 'FORMAT_UNSUPPORTED',
    readonly line: number,
    message: string,
  ) {
    super(message)
  }
}

export interface DroppedTail {
  /** The first line that was left out, 1-based. */
  line: number
  reason: string
}

/** Events in one chunk row: far more than a writer packs, few enough that a small file does not unfold into gigabytes. */
export const MAX_ROW = 500_000

const TOO_MANY = `a chunk row holds at most ${MAX_ROW.toLocaleString('en')} events`

const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd]

export class LogIntake {
  header: SessionHeader | undefined
  /** Events taken in so far. */
  length = 0
  dropped: DroppedTail | undefined

  readonly #ownTypes: ReadonlySet<string>
  readonly #toolResults = new Map<number, unknown>()
  readonly #surface = new Surface((seq) => this.#toolResults.get(seq))
  #line = 0
  // What is wrong with the first event that is unknown, and with the first that is misshapen, as long as nothing graver follows.
  #unknown: LogProblem | undefined
  #misshapen: LogProblem | undefined
  #rest: Uint8Array[] = []
  #restBytes = 0
  readonly #cutter = new SegmentCutter()

  /**
   * @param eventTypes the application's own event types
   * @param id of the session that the file becomes, when it is not the file's own
   */
  constructor(
    eventTypes: readonly string[],
    private readonly id?: SessionId,
  ) {
    this.#ownTypes = new Set(eventTypes)
  }

  /** Takes the next piece of the file. Throws `LogProblem`. */
  write(bytes: Uint8Array): void {
    let at = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, at)) {
      this.#rest.push(bytes.subarray(at, end + 1))
      const line = this.#rest.length === 1 ? this.#rest[0]! : concat(this.#rest)
      this.#rest = []
      this.#restBytes = 0
      this.#take(line)
      at = end + 1
    }
    if (at < bytes.byteLength) {
      // A copy: the caller may use its buffer again.
      this.#rest.push(bytes.slice(at))
      this.#restBytes += bytes.byteLength - at
      if (this.#restBytes > MAX_EVENT_BYTES) throw tooLong(this.#line + 1)
    }
  }

  /** Ends the file. A last line without its newline was being written: it is left out. Throws `LogProblem`. */
  end(): void {
    if (this.#restBytes > 0) {
      this.#line++
      if (this.#line === 1) this.#takeUnended(concat(this.#rest))
      this.dropped ??= { line: this.#line, reason: 'the last line has no newline: it was being written' }
    }
    if (this.header === undefined) throw new LogProblem('INVALID_LOG', 1, 'the file is empty')
    if (this.#problem !== undefined) throw this.#problem
    this.#cutter.cut()
  }

  /** The segments that are complete; each is given once. */
  takeSegments(): Segment[] {
    return this.#cutter.take()
  }

  #take(line: Uint8Array): void {
    this.#line++
    if (this.#line === 1) return this.#takeHeader(line)
    if (line.byteLength - 1 > MAX_EVENT_BYTES) throw tooLong(this.#line)
    const events = parse(line, this.#line)
    if (this.dropped !== undefined) {
      // A torn tail holds no finished turn. If one follows, the damage is in the middle.
      if (typeof events !== 'string' && events.some(isTurnEnd)) this.#refuseDamage()
      return
    }
    if (typeof events === 'string') {
      this.dropped = { line: this.#line, reason: events }
      return
    }
    const gap = events.findIndex((event, k) => event?.seq !== this.length + k)
    if (gap >= 0) {
      this.dropped = { line: this.#line, reason: `its seq is not ${this.length + gap}, the next one` }
      if (events.some(isTurnEnd)) this.#refuseDamage()
      return
    }
    const present = events.map((event) => this.#checked(this.#upgraded(event)))
    if (this.#problem === undefined) this.#cutter.add(line, present, present[0] !== events[0])
    this.length += events.length
  }

  #takeHeader(line: Uint8Array): void {
    let text: string
    try {
      text = decodeText(line)
    } catch {
      throw this.#firstLineProblem(line, 'this is no session file (session.jsonl): its first line is not UTF-8')
    }
    const decoded = decodeHeader(text)
    if ('unsupported' in decoded) throw new LogProblem('FORMAT_UNSUPPORTED', 1, decoded.unsupported)
    if ('reason' in decoded) throw this.#firstLineProblem(line, decoded.reason)
    this.header = decoded.header
  }

  /** A header that was being written, or something else altogether. */
  #takeUnended(line: Uint8Array): never {
    this.#takeHeader(line)
    throw new LogProblem('INVALID_LOG', 1, 'the header has no newline: the file is cut off')
  }

  #firstLineProblem(line: Uint8Array, reason: string): LogProblem {
    if (ZSTD_MAGIC.every((byte, i) => line[i] === byte)) {
      const cure = 'this is a zstd-compressed log (.jsonl.zstd); decompress it first, e.g. with `zstd -d`'
      return new LogProblem('FORMAT_UNSUPPORTED', 1, cure)
    }
    return new LogProblem('INVALID_LOG', 1, reason)
  }

  /** Chunk rows came with the present shapes, so a line that is old holds one event. */
  #upgraded(event: SessionEvent): SessionEvent {
    const present = upgradeLegacy(event, this.id ?? this.header!.id, (seq) => messageId(this.#toolResults.get(seq)))
    const problem = typeof present === 'string' ? present : foremostProblem(present)
    if (problem !== undefined) throw new LogProblem('INVALID_LOG', this.#line, problem)
    return present as SessionEvent
  }

  /**
   * DSH goes over the whole log for one kind of problem after another (`spec` 6.3): damage and what is obsolete, then types
   * that are unknown, and at last every other shape, since what a newer writer adds may have a shape of its own.
   */
  #checked(event: SessionEvent): SessionEvent {
    if (!isUnderstood(event, this.#ownTypes)) {
      const cure = 'update the page, or name the type in eventTypes'
      const message = `'${event.type}' is an unknown event type; ${cure}`
      this.#unknown ??= new LogProblem('FORMAT_UNSUPPORTED', this.#line, message)
    } else if (this.#problem === undefined) {
      const reason = this.#admit(event)
      if (reason !== undefined) this.#misshapen = new LogProblem('INVALID_LOG', this.#line, reason)
    }
    return event
  }

  get #problem(): LogProblem | undefined {
    return this.#unknown ?? this.#misshapen
  }

  /** Puts an event in its place in the log, or says why it has none. */
  #admit(event: SessionEvent): string | undefined {
    const problem = eventProblem(event)
    if (problem !== undefined) return problem
    // JSON text can say what JSON values cannot hold: -0, and numbers that overflow.
    const copy = copyJson(event, { maxDepth: MAX_DEPTH + 1 })
    if (!copy.ok) return `an event must be lossless JSON, not ${copy.reason}`
    const misplaced = this.#surface.problem(event)
    if (misplaced !== undefined) return misplaced
    this.#surface.apply(event)
    const identity = toolResultIdentity(event)
    if (identity !== undefined) this.#toolResults.set(event.seq, identity)
    return undefined
  }

  #refuseDamage(): never {
    const { line, reason } = this.dropped!
    throw new LogProblem('INVALID_LOG', line, `${reason}; a finished turn follows, so this is no torn tail`)
  }
}

function membersOf(row: unknown): number {
  const { texts, args } = ((row as { data?: unknown }).data ?? {}) as { texts?: unknown; args?: unknown }
  const pieces = texts ?? args
  return Array.isArray(pieces) ? pieces.length : 0
}

/** The events of one line, or what is wrong with it. Their fields are not looked at. */
function parse(line: Uint8Array, at: number): SessionEvent[] | string {
  let record: unknown
  try {
    record = JSON.parse(decodeText(line))
  } catch {
    return 'it is no JSON'
  }
  // No torn tail: the row may be sound, so nothing of it may be left out without a word.
  if (isChunkRow(record) && membersOf(record) > MAX_ROW) throw new LogProblem('INVALID_LOG', at, TOO_MANY)
  return eventsOfRecord(record)
}

function messageId(toolResult: unknown): string | undefined {
  return (toolResult as { message: { id: string } } | undefined)?.message.id
}

function isTurnEnd(event: SessionEvent | null): boolean {
  return event?.type === 'turn/end'
}

function tooLong(line: number): LogProblem {
  return new LogProblem('INVALID_LOG', line, `a line holds at most ${MAX_EVENT_BYTES >> 20} MiB`)
}
