/** How sessions become live here: by create, by fork, by load, by saving what met a conflict. `SessionStore` documents each. */
import { notLive, type SessionCore } from './core.js'
import { ForkSource, type ForkEnd } from './forking.js'
import { mintId } from './ids.js'
import { loadSession } from './loading.js'
import type { Right } from './locks.js'
import { admitSeed } from './log/admit.js'
import type { SessionEvent, SessionId } from './log/event.js'
import { GrowingLog } from './log/growing.js'
import { makeHeader, type SessionHeader, type SessionMeta } from './log/header.js'
import { encodeSegments } from './log/jsonl.js'
import type { Rules } from './log/turns.js'
import type { Registry } from './registry.js'
import { commonLength, isGone } from './rescue.js'
import { markSeed, storeSeed } from './seeding.js'
import type { Session } from './session.js'
import { undoIfLost } from './undo.js'
import { SessionForkError, SessionStoreError } from './wire/errors.js'
import { randomToken } from './wire/token.js'

export interface CreateOptions {
  /** Events to begin with, seqs from 0: any valid log, also one that ends inside a turn. Copied and checked. */
  seed?: readonly SessionEvent[]
  meta?: SessionMeta
}

export class Arrivals {
  constructor(
    private readonly registry: Registry,
    private readonly rules: Rules,
  ) {
    registry.saveAsFork = (core, id) => this.#saveAsFork(core, id)
  }

  async create(wanted: SessionId | undefined, { seed, meta = {} }: CreateOptions): Promise<Session> {
    const id = wanted ?? undefined // null is no id either
    const header = newHeader(id ?? mintId(), meta)
    const log = seed === undefined ? new GrowingLog([]) : this.#admit(seed)
    return this.registry.queues.exclusive([header.id], async () => {
      const right = await this.#claim(header.id, id !== undefined)
      if (right === undefined) throw taken(header.id)
      const op = randomToken()
      const core = this.#enter(header, log, { epoch: op, right }, seed !== undefined)
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
    return this.registry.queues.exclusive([id], async () => {
      const right = await this.#claim(id, !isMinted)
      if (right === undefined) throw new SessionForkError('SESSION_ALREADY_EXISTS', alreadyThere(id))
      const {
        parent,
        log,
        source: origin,
      } = await from.plan().catch((error: unknown) => {
        right.release()
        throw error
      })
      const length = log.length
      const { cwd } = parent
      const header = newHeader(id, {
        ...(cwd !== undefined && { cwd }),
        parentSession: parent.id,
        seedLength: length,
      })
      const op = randomToken()
      const core = this.#enter(header, log, { epoch: op, right }, true)
      return this.#bring(core, () => {
        const request = { op, header, source: origin, length, segments: encodeSegments(log.slice(length)) }
        return this.registry.connection.call('fork', request).catch((error: unknown) => {
          throw from.errorOf(error)
        })
      })
    })
  }

  /** @param isForced whoever writes it has to let go */
  load(id: SessionId, isForced = false): Promise<Session> {
    return loadSession(this.registry, this.rules, id, isForced)
  }

  /** `Session.saveAsFork` says more. */
  async #saveAsFork(lost: SessionCore, wanted: SessionId | undefined): Promise<Session> {
    if (lost.state === 'live') throw new TypeError('this session is live, and nothing of it lost; fork it')
    const isMinted = (wanted ?? undefined) === undefined
    const { registry } = this
    const { id } = newHeader(isMinted ? mintId() : wanted, {})
    return registry.queues.exclusive([id], async () => {
      const common = await commonLength(registry, lost)
      return this.#save(lost, id, isMinted, common).catch((error: unknown) => {
        // Another tab has deleted it in this very moment.
        if (common === undefined || !isGone(error)) throw error
        return this.#save(lost, id, isMinted, undefined)
      })
    })
  }

  /** @param common how much of it is shared with what is stored; undefined: nothing can be */
  async #save(lost: SessionCore, id: SessionId, isMinted: boolean, common: number | undefined): Promise<Session> {
    const { connection } = this.registry
    const right = await this.#claim(id, !isMinted)
    if (right === undefined) throw taken(id)
    const { cwd, id: parentSession } = lost.header
    const place = { ...(cwd !== undefined && { cwd }), parentSession, seedLength: common ?? 0 }
    const header = newHeader(id, place)
    const log = lost.log.share(lost.log.length)
    const op = randomToken()
    const core = this.#enter(header, log, { epoch: op, right }, false)
    return this.#bring(core, () => {
      if (common === undefined) return storeSeed(connection, { op, header }, log.slice(0))
      const source = { id: parentSession, log: lost.stored }
      const segments = encodeSegments(log.slice(common))
      return connection.call('fork', { op, header, source, length: common, segments })
    })
  }

  #enter(
    header: SessionHeader,
    log: GrowingLog,
    writer: { epoch: string; right: Right },
    isMarked: boolean,
  ): SessionCore {
    if (writer.right.isStolen) throw notLive(header.id, 'conflict')
    const firstLiveSeq = log.length
    if (isMarked) markSeed(log, this.rules)
    return this.registry.enter(header, log, firstLiveSeq, writer)
  }

  /** The right to make a session; undefined when there is one of this id, here, elsewhere or stored. */
  async #claim(id: SessionId, isNamed: boolean): Promise<Right | undefined> {
    if (this.registry.get(id) !== undefined) return undefined
    const right = await this.registry.tabs.take(id).catch((error: unknown) => {
      if ((error as SessionStoreError).code !== 'SESSION_LOCKED') throw error
      return undefined
    })
    if (right === undefined || !isNamed) return right
    try {
      if (!(await this.registry.connection.call('exists', id))) return right
    } catch (error) {
      right.release()
      throw error
    }
    right.release()
    return undefined
  }

  /** Announces a session, then stores it; sends it away again when either fails. */
  async #bring(core: SessionCore, store: () => Promise<number>): Promise<Session> {
    this.registry.announce(core)
    try {
      const length = await store()
      core.outbox.start(length)
      // Another tab may have taken it by force meanwhile.
      core.requireLive()
      this.registry.created(core, length)
      this.registry.tabs.tellWriter(core.header.id, true)
      return core.session
    } catch (error) {
      this.registry.leave(core, 'released')
      await undoIfLost(this.registry.connection, core.outbox.epoch, error)
      throw error
    }
  }

  #admit(seed: unknown): GrowingLog {
    const admitted = admitSeed(seed, this.registry.ownTypes)
    if ('log' in admitted) return admitted.log
    const { index, reason } = admitted
    throw new SessionStoreError('INVALID_EVENT', `seed event ${index}: ${reason}`, { index })
  }
}

/** Throws `INVALID_HEADER`. */
export function newHeader(id: unknown, meta: unknown): SessionHeader {
  const header = makeHeader(id, meta, Date.now())
  if ('reason' in header) throw new SessionStoreError('INVALID_HEADER', header.reason)
  return header
}

function taken(id: SessionId): SessionStoreError {
  return new SessionStoreError('SESSION_ALREADY_EXISTS', alreadyThere(id), { sessionId: id })
}

function alreadyThere(id: SessionId): string {
  return `there is a session '${id}' already`
}
