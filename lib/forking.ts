/** What a fork takes, and why it may be refused (`rfc`; the table in the README). */
import type { SessionCore } from './core.js'
import type { SessionEvent, SessionId } from './log/event.js'
import { GrowingLog } from './log/growing.js'
import type { SessionHeader } from './log/header.js'
import { forkLength, lengthBefore, type BoundaryProblem, type Rules } from './log/turns.js'
import { readLog, type StoredLog } from './reading.js'
import type { Registry } from './registry.js'
import { Session, SessionView } from './session.js'
import { SessionForkError, SessionStoreError, type SessionForkErrorFields } from './wire/errors.js'
import type { ForkRequest } from './wire/protocol.js'

/** Where a fork ends: at a boundary, by default the last event, or before the turn that holds an event. */
export type ForkEnd = { at: unknown } | { before: unknown }

export interface ForkPlan {
  parent: SessionHeader
  /** The prefix, as the child's log. */
  log: GrowingLog
  source: ForkRequest['source']
}

/** The source as it is at the moment of the call; `plan` does the rest when it is its turn. */
export class ForkSource {
  readonly #live: SessionCore | undefined
  /** Of a live source, what a fork takes, decided at the call. */
  readonly #taken: Taken | undefined

  constructor(
    private readonly registry: Registry,
    private readonly given: unknown,
    private readonly end: ForkEnd,
    private readonly rules: Rules,
  ) {
    if (typeof given === 'string') this.#live = registry.get(given)
    else if (given instanceof Session) this.#live = registry.coreOf(given)
    if (this.#live !== undefined) this.#taken = this.#take(this.#live.log.current)
  }

  /** Throws a `SessionForkError`, or the storage's `SessionStoreError`. */
  plan(): Promise<ForkPlan> {
    if (this.#live !== undefined) return this.#planLive(this.#live)
    if (typeof this.given === 'string') return this.#planStored(this.given)
    return this.#refuseObject()
  }

  /** What the store says of source or child, as the fork's own error. */
  errorOf(error: unknown): unknown {
    if (!(error instanceof SessionStoreError)) return error
    const { code, message } = error
    // Another tab deleted the source.
    if (code === 'SESSION_NOT_FOUND' && this.#live !== undefined) this.registry.lost(this.#live, 'deleted')
    if (code === 'SESSION_ALREADY_EXISTS' || code === 'SESSION_NOT_FOUND' || code === 'SESSION_NOT_LIVE') {
      return new SessionForkError(code, message)
    }
    if (code !== 'SESSION_CONFLICT' || this.#live === undefined) return error
    // Another writer took the source over. The object is not live any more; its id may be forked again, as it is stored.
    this.registry.lost(this.#live, 'conflict')
    return typeof this.given === 'string' ? error : new SessionForkError('SESSION_NOT_LIVE', message)
  }

  async #planLive({ header, log, outbox }: SessionCore): Promise<ForkPlan> {
    const length = lengthOr(this.#taken!)
    const prefix = log.share(length)
    await outbox.drain(length).catch((error: unknown) => {
      throw this.errorOf(error)
    })
    return { parent: header, log: prefix, source: { id: header.id, epoch: outbox.epoch } }
  }

  async #planStored(id: SessionId): Promise<ForkPlan> {
    const seq = 'at' in this.end ? this.end.at : this.end.before
    // What comes after that event says nothing about it, except where else a refused fork could be made.
    let read = await this.#read(id, typeof seq === 'number' ? seq : undefined)
    let taken = this.#take(read.events)
    if ('code' in taken && !read.isWhole && read.damage === undefined) {
      read = await this.#read(id)
      taken = this.#take(read.events)
    }
    const { header, log, events, damage } = read
    // Of a damaged log, what lies before the damage may be forked; where it ends, nobody can tell.
    const isDefault = 'at' in this.end && seq === undefined
    if (damage !== undefined && (isDefault || Number(seq) >= events.length)) throw damage
    events.length = lengthOr(taken)
    return { parent: header, log: new GrowingLog(events), source: { id, log } }
  }

  #take(events: readonly SessionEvent[]): Taken {
    return 'at' in this.end ? forkLength(events, this.end.at, this.rules) : lengthBefore(events, this.end.before)
  }

  #read(id: SessionId, upTo = Infinity): Promise<StoredLog> {
    return readLog(this.registry.connection, id, this.registry.ownTypes, { upTo }).catch((error: unknown) => {
      throw this.errorOf(error)
    })
  }

  async #refuseObject(): Promise<never> {
    const id = this.given instanceof SessionView ? this.given.id : undefined
    const known = id !== undefined && (this.registry.get(id) !== undefined || (await this.#isStored(id)))
    if (!known)
      throw new SessionForkError('SESSION_NOT_FOUND', 'there is no such session to fork; pass a Session or its id')
    throw new SessionForkError('SESSION_NOT_LIVE', `this object of session '${id}' is not live here; fork it by its id`)
  }

  #isStored(id: SessionId): Promise<boolean> {
    return this.registry.connection.call('exists', id)
  }
}

type Taken = { length: number } | BoundaryProblem

function lengthOr(taken: Taken): number {
  if ('length' in taken) return taken.length
  const { code, reason, ...near } = taken
  throw new SessionForkError(code, `${reason}${offer(near)}`, near)
}

function offer({ boundary, before, after }: SessionForkErrorFields): string {
  const points = [before, after].filter((point) => point !== undefined)
  if (points.length > 0) return `; the nearest fork points: ${points.join(', ')}`
  return boundary === undefined ? '' : '; the log has no finished turn there'
}
