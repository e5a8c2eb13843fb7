/**
 * The store as it would be without storage: every session is an array of its own, and a fork copies it. Written from the
 * README and the RFC alone, as plainly as possible; only what closes a crashed turn is the library's.
 */
import type {
  ForkPoint,
  Message,
  SessionEvent,
  SessionForkErrorCode,
  SessionHeader,
  SessionId,
  SurfaceIntent,
} from 'idb-sessions'
import { interruptedTurnClosers } from 'idb-sessions'

export interface Copy {
  header: SessionHeader
  events: SessionEvent[]
  /** What tells each event from all others, in other sessions too; a fork has those of its source. */
  marks: number[]
  /** Set beside the log. */
  title?: string
  live: boolean
  /** Created with events, even with none of them; forked or imported. */
  seeded: boolean
}

/** Created without a seed and without an event so far: only its id is taken, and goes with its page. */
export function isReserved({ seeded, events }: Copy): boolean {
  return !seeded && events.length === 0
}

/** Why a fork is refused. */
export interface Refusal {
  code: SessionForkErrorCode
  before?: number
  after?: number
}

/** What a fork is asked to start from: an id, or a `Session` object that is or is not the one live here. */
export interface Source {
  id: SessionId
  stale?: boolean
}

export class Model {
  readonly sessions = new Map<SessionId, Copy>()
  /** Ids of live sessions, in the order in which they came. */
  live: SessionId[] = []

  constructor(
    readonly rules: 'rfc' | 'harness',
    readonly ownTypes: readonly string[],
  ) {}

  /** Live or stored: the id is taken. */
  has(id: SessionId): boolean {
    const copy = this.sessions.get(id)
    return copy !== undefined && (copy.live || !isReserved(copy))
  }

  get(id: SessionId): Copy {
    return this.sessions.get(id)!
  }

  /** As it is now, whatever becomes of it. */
  snapshot(id: SessionId): Copy {
    marksOf(this.get(id))
    return clone(this.get(id))
  }

  create(header: SessionHeader, seed: readonly SessionEvent[] | undefined, now: number): void {
    const events = clone([...(seed ?? [])])
    if (seed !== undefined) this.#mark(events, now)
    this.#enter({ header, events, marks: [], live: true, seeded: seed !== undefined })
  }

  /** How many events a fork takes, or why there is none. `before`: the boundary is in the first turn that it leaves out. */
  planFork(source: Source, boundary: unknown, childId: SessionId | undefined, before = false): number | Refusal {
    if (childId !== undefined && this.has(childId)) return { code: 'SESSION_ALREADY_EXISTS' }
    if (!this.has(source.id)) return { code: 'SESSION_NOT_FOUND' }
    if (source.stale) return { code: 'SESSION_NOT_LIVE' }
    const { events } = this.get(source.id)
    if (before) {
      const event = typeof boundary === 'number' ? events[boundary] : undefined
      return event === undefined
        ? { code: 'INVALID_BOUNDARY', ...nearestEnds(events, boundary) }
        : lengthBefore(events, event)
    }
    let seq = boundary
    if (boundary === undefined) {
      const counted = this.rules === 'rfc' ? events.findLast((event) => !isLabel(event)) : events.at(-1)
      if (counted === undefined) return 0
      seq = counted.seq
    }
    const near = nearestEnds(events, seq)
    if (typeof seq !== 'number' || events[seq] === undefined) return { code: 'INVALID_BOUNDARY', ...near }
    if (openTurn(events.slice(0, seq + 1))) return { code: 'OPEN_TURN', ...near }
    const isEnd = events[seq]!.type === 'turn/end'
    if (this.rules === 'rfc' && !isEnd) return { code: 'INVALID_BOUNDARY', ...near }
    return seq + 1
  }

  fork(source: SessionId, length: number, id: SessionId, createdAt: number, now: number): void {
    this.forkOf(this.get(source), length, id, createdAt, now)
  }

  forkOf(parent: Copy, length: number, id: SessionId, createdAt: number, now: number): void {
    const { cwd } = parent.header
    const header = {
      version: 0,
      id,
      createdAt,
      ...(cwd !== undefined && { cwd }),
      parentSession: parent.header.id,
      seedLength: length,
    }
    const events = clone(parent.events.slice(0, length))
    this.#mark(events, now)
    this.#enter({ header, events, marks: marksOf(parent).slice(0, length), live: true, seeded: true })
  }

  /** The event that an append makes. */
  append(id: SessionId, type: string, data: unknown, intent: SurfaceIntent | undefined, time: number): SessionEvent {
    const copy = this.get(id)
    const event = clone({
      type,
      seq: copy.events.length,
      time,
      data,
      ...(this.ownTypes.includes(type) && { ignorable: true }),
      ...(intent?.sourceEventSeqs !== undefined && { sourceEventSeqs: intent.sourceEventSeqs }),
      ...(intent !== undefined && { surfaceOp: intent.surfaceOp }),
    }) as unknown as SessionEvent
    copy.events.push(event)
    return event
  }

  /** Returns where its own events begin. */
  load(id: SessionId, now: number): number {
    const copy = this.get(id)
    copy.events = this.inspect(id)
    const { length } = copy.events
    this.#mark(copy.events, now)
    copy.live = true
    this.live.push(id)
    return length
  }

  /** What reading shows: with the events that would close an open turn, unless it is being written. */
  inspect(id: SessionId): SessionEvent[] {
    const { events, live } = this.get(id)
    return live ? events : [...events, ...clone(interruptedTurnClosers(events))]
  }

  release(id: SessionId): void {
    this.live = this.live.filter((other) => other !== id)
    const copy = this.get(id)
    copy.live = false
    if (isReserved(copy)) this.sessions.delete(id)
  }

  /** A page that died kept `length` events of a session. */
  crash(id: SessionId, length: number): void {
    const copy = this.get(id)
    marksOf(copy).length = length
    copy.events.length = length
    this.release(id)
  }

  delete(id: SessionId): 'deleted' | 'missing' {
    if (!this.has(id)) return 'missing'
    this.release(id)
    this.sessions.delete(id)
    return 'deleted'
  }

  import(id: SessionId, file: { header: SessionHeader; events: readonly SessionEvent[] }): void {
    const header = { ...file.header, id, delegationDepth: file.header.delegationDepth ?? 0 }
    this.sessions.set(id, { header, events: clone([...file.events]), marks: [], live: false, seeded: true })
  }

  #enter(copy: Copy): void {
    this.sessions.set(copy.header.id, copy)
    this.live.push(copy.header.id)
  }

  #mark(events: SessionEvent[], time: number): void {
    if (this.rules !== 'harness' || events.at(-1)?.type === 'session/end-seed') return
    events.push({ type: 'session/end-seed', seq: events.length, time, data: {} })
  }
}

/** How many events two sessions have in common, one being a fork of the other or both of a third. */
export function sharedBy(a: Copy, b: Copy): number {
  const marks = marksOf(b)
  const parting = marksOf(a).findIndex((mark, i) => mark !== marks[i])
  return parting < 0 ? a.events.length : parting
}

let marked = 0

function marksOf({ marks, events }: Copy): number[] {
  while (marks.length < events.length) marks.push(marked++)
  return marks
}

/** Up to the last end of a turn before that of this event. */
function lengthBefore(events: readonly SessionEvent[], { seq }: SessionEvent): number {
  const starts = events.filter(({ type }) => type === 'turn/start').map(({ seq }) => seq)
  const start = starts.findLast((start) => start <= seq)
  const end = endsOf(events).find((end) => end.seq >= (start ?? 0))
  // Between two turns there is no turn that holds it.
  const first = start === undefined || (end !== undefined && end.seq < seq) ? seq : start
  return (endsOf(events).findLast((end) => end.seq < first)?.seq ?? -1) + 1
}

/** What the model is told, by the letter of `spec` 2.4 and 2.5. */
export function messagesOf(events: readonly SessionEvent[]): Message[] {
  return nodesOf(events).flatMap((seq) => {
    const event = events[seq]!
    if (event.type === 'user/message') return [event.data]
    const { message } = event.data as { message: Message }
    return event.type === 'assistant/message' && message.content.length === 0 ? [] : [message]
  })
}

export function nodesOf(events: readonly SessionEvent[]): number[] {
  const nodes: number[] = []
  for (const { seq, surfaceOp } of events as readonly ({ seq: number } & Partial<SurfaceIntent>)[]) {
    if (surfaceOp === 'append') nodes.push(seq)
    else if (surfaceOp !== undefined) {
      const from = nodes.indexOf(surfaceOp.start)
      nodes.splice(from, nodes.indexOf(surfaceOp.end) - from + 1, seq)
    }
  }
  return nodes
}

export function endsOf(events: readonly SessionEvent[]): ForkPoint[] {
  return events
    .filter((event) => event.type === 'turn/end')
    .map(({ seq, time, data }) => ({ seq, turn: data.turn, reason: data.reason, time }))
}

export function openTurn(events: readonly SessionEvent[]): boolean {
  return events.findLast(({ type }) => type === 'turn/start' || type === 'turn/end')?.type === 'turn/start'
}

export function titleOf(events: readonly SessionEvent[]): string | undefined {
  return events.findLast((event) => event.type === 'session/title')?.data.title.slice(0, 1000)
}

export function clone<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

function nearestEnds(events: readonly SessionEvent[], boundary: unknown): { before?: number; after?: number } {
  if (typeof boundary !== 'number') return {}
  const seqs = endsOf(events).map(({ seq }) => seq)
  const before = seqs.findLast((seq) => seq < boundary)
  const after = seqs.find((seq) => seq > boundary)
  return { ...(before !== undefined && { before }), ...(after !== undefined && { after }) }
}

function isLabel({ type }: SessionEvent): boolean {
  return type === 'session/title' || type === 'session/end-seed'
}
