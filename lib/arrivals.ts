/** How sessions become live here: by create, by fork, by load. `SessionStore` documents each. */
import type { SessionCore } from './core.js'
import { ForkSource, type ForkEnd } from './forking.js'
import { mintId } from './ids.js'
import { admitSeed } from './log/admit.js'
import { interruptedTurnClosers } from './log/closers.js'
import type { SessionEvent, SessionId } from './log/event.js'
import { GrowingLog } from './log/growing.js'
import { makeHeader, type SessionHeader, type SessionMeta } from './log/header.js'
import { freezeJson } from './log/json.js'
import { encodeSegments } from './log/jsonl.js'
import type { Rules } from './log/turns.js'
import { readLog } from './reading.js'
import type { Registry } from './registry.js'
import { storeSeed } from './seeding.js'
import type { Session } from './session.js'
import { undoIfLost } from './undo.js'
import { SessionForkError, SessionStoreError } from './wire/errors.js'
import { randomToken } from './wire/token.js'

/** How often a load reads again when the stored log changes under it. */
const LOAD_TRIES = 5

export interface CreateOptions {
  /** Events to begin with, seqs from 0: any valid log, also one that ends inside a turn. Copied and checked. */
  seed?: readonly SessionEvent[]
  meta?: SessionMeta
}

export class Arrivals {
  constructor(
    private readonly registry: Registry,
    private readonly rules: Rules,
  ) {}

  async create(wanted: SessionId | undefined, { seed, meta = {} }: CreateOptions): Promise<Session> {
    const id = wanted ?? undefined // null is no id either
    const header = newHeader(id ?? mintId(), meta)
    const log = seed === undefined ? new GrowingLog([]) : this.#admit(seed)
    return this.registry.exclusive([header.id], async () => {
      if (id !== undefined && (await this.#isTaken(id))) {
        throw new SessionStoreError('SESSION_ALREADY_EXISTS', alreadyThere(id), { sessionId: id })
      }
      const op = randomToken()
      const core = this.#enter(header, log, op, seed !== undefined)
      return this.#bring(core, async () => {
        if (seed === undefined) await this.registry.presence.hold()
        core.isReserved = seed === undefined && log.length === 0
        const reservation = core.isReserved ? { reserved: this.registry.presence.token } : {}
        return storeSeed(this.registry.connection, { op, header, ...reservation }, log.slice(0))
      })
    })
  }

  async fork(source: unknown, end: ForkEnd, childSessionId: SessionId | undefined): Promise<Session> {
    // Read at the call: what the source is, and where it ends, may change while the fork waits for its turn.
    const from = new ForkSource(this.registry, source, end, this.rules)
    const isMinted = (childSessionId ?? undefined) === undefined
    const { id } = newHeader(isMinted ? mintId() : childSessionId, {})
    return this.registry.exclusive([id], async () => {
      if (!isMinted && (await this.#isTaken(id))) {
        throw new SessionForkError('SESSION_ALREADY_EXISTS', alreadyThere(id))
      }
      const { parent, log, source: origin } = await from.plan()
      const length = log.length
      const { cwd } = parent
      const header = newHeader(id, {
        ...(cwd !== undefined && { cwd }),
        parentSession: parent.id,
        seedLength: length,
      })
      const op = randomToken()
      const core = this.#enter(header, log, op, true)
      return this.#bring(core, () => {
        const request = { op, header, source: origin, length, segments: encodeSegments(log.slice(length)) }
        return this.registry.connection.call('fork', request).catch((error: unknown) => {
          throw from.errorOf(error)
        })
      })
    })
  }

  async load(id: SessionId): Promise<Session> {
    // One that is live may be on its way out: it is its turn that tells.
    return this.registry.exclusive([id], async () => {
      for (let tries = 0; tries < LOAD_TRIES; tries++) {
        const session = this.registry.keep(id)?.session ?? (await this.#tryLoad(id))
        if (session !== undefined) return session
      }
      const message = `others keep changing the session '${id}'; try again`
      throw new SessionStoreError('SESSION_CONFLICT', message, { sessionId: id })
    })
  }

  /** Undefined when the log changed between reading and taking over. */
  async #tryLoad(id: SessionId): Promise<Session | undefined> {
    const { connection } = this.registry
    const { header, log: name, epoch, events, damage } = await readLog(connection, id, this.registry.ownTypes)
    if (damage !== undefined) throw damage
    const length = events.length
    const log = new GrowingLog(events)
    for (const closer of interruptedTurnClosers(events)) log.push(freezeJson(closer))
    const firstLiveSeq = log.length
    this.#mark(log)
    const op = randomToken()
    const segments = encodeSegments(log.slice(length))
    const stored = await connection.call('load', { id, op, seen: { log: name, length, epoch }, segments })
    if (stored === 'changed') return undefined
    const core = this.registry.enter(header, log, firstLiveSeq, op)
    core.outbox.start(stored)
    if (stored > length) this.registry.grown(core)
    this.registry.announce(core)
    return core.session
  }

  #enter(header: SessionHeader, log: GrowingLog, epoch: string, seeded: boolean): SessionCore {
    const firstLiveSeq = log.length
    if (seeded) this.#mark(log)
    return this.registry.enter(header, log, firstLiveSeq, epoch)
  }

  /** Announces a session, then stores it; sends it away again when either fails. */
  async #bring(core: SessionCore, store: () => Promise<number>): Promise<Session> {
    this.registry.announce(core)
    try {
      const length = await store()
      core.outbox.start(length)
      this.registry.created(core, length)
      return core.session
    } catch (error) {
      this.registry.leave(core, 'released')
      await undoIfLost(this.registry.connection, core.outbox.epoch, error)
      throw error
    }
  }

  /** `rules: 'harness'`: a seed ends in a marker. Source: `spec` 2.2. */
  #mark(log: GrowingLog): void {
    if (this.rules !== 'harness' || log.at(log.length - 1)?.type === 'session/end-seed') return
    log.push(freezeJson({ type: 'session/end-seed', seq: log.length, time: Date.now(), data: {} }))
  }

  #admit(seed: unknown): GrowingLog {
    const admitted = admitSeed(seed, this.registry.ownTypes)
    if ('log' in admitted) return admitted.log
    const { index, reason } = admitted
    throw new SessionStoreError('INVALID_EVENT', `seed event ${index}: ${reason}`, { index })
  }

  async #isTaken(id: SessionId): Promise<boolean> {
    return this.registry.get(id) !== undefined || this.registry.connection.call('exists', id)
  }
}

/** Throws `INVALID_HEADER`. */
export function newHeader(id: unknown, meta: unknown): SessionHeader {
  const header = makeHeader(id, meta, Date.now())
  if ('reason' in header) throw new SessionStoreError('INVALID_HEADER', header.reason)
  return header
}

function alreadyThere(id: SessionId): string {
  return `there is a session '${id}' already`
}
