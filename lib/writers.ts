/** Who writes which session, as far as this page knows: it does, another tab does, or nobody. */
import type { TabChannel } from './channel.js'
import { Listeners } from './listeners.js'
import type { SessionLocks } from './locks.js'
import type { SessionId } from './log/event.js'
import { isAnywhere } from './takeover.js'

/**
 * How often it is looked whether others still write what they wrote, ms: a tab that dies says nothing. To wait for its lock
 * would cost its page the back/forward cache, and a page that is frozen in that queue is in everybody's way.
 */
const LOOK_INTERVAL = 500
/** The same where there are no locks: every tab hears it when others are asked, ms. */
const ASK_INTERVAL = 2000
/** What a page sent as it went may be stored after its lock was free, ms. */
const LAST_WORDS = 1000

export type Writer = 'here' | 'elsewhere' | 'none'

export class Writers {
  /** By which tab, where it has said so itself. */
  readonly #elsewhere = new Map<SessionId, string | undefined>()
  readonly #listeners = new Listeners<{ writer(id: SessionId): void }>()
  /** All that began before this page heard of it is known. */
  #isWhole = false
  #timer: ReturnType<typeof setInterval> | undefined
  readonly #lastWords = new Set<ReturnType<typeof setTimeout>>()
  #isPaused = false

  constructor(
    private readonly locks: SessionLocks,
    private readonly channel: TabChannel,
    private readonly isHere: (id: SessionId) => boolean,
    private readonly isFrozen: () => boolean,
  ) {
    channel.on((heard) => {
      const { kind, id, from } = heard
      // An answer counts also when it is late, since that tab was busy.
      if (kind === 'here' || (kind === 'writer' && heard.isLive)) return this.#began(id, from)
      if (kind !== 'writer') return
      // One that was robbed says so as well, and another has it.
      if (locks.areThere && !this.#isPaused) this.lookAt(id).catch(() => {})
      if (!locks.areThere && this.#elsewhere.get(id) === from) this.#ended(id)
    })
  }

  of(id: SessionId): Writer {
    if (this.isHere(id)) return 'here'
    return this.#elsewhere.has(id) ? 'elsewhere' : 'none'
  }

  /**
   * Looks at all locks for the first time, then only at those that are known to be held: who takes one says so. Where there
   * are none, asks those that are known to write.
   */
  async refresh(): Promise<void> {
    if (!this.#isWhole && this.locks.areThere) {
      const held = await this.locks.held()
      this.#isWhole = true
      for (const id of held) if (this.locks.mine(id) === undefined) this.#began(id)
    }
    await Promise.all([...this.#elsewhere.keys()].map((id) => this.lookAt(id)))
  }

  /**
   * Looks whether another tab writes this one now; where there are no locks, it is asked. Not while the page is frozen: to
   * look is to hold it for a moment.
   */
  async lookAt(id: SessionId): Promise<void> {
    if (this.isFrozen()) return
    if (await this.#isElsewhere(id)) this.#began(id)
    else this.#ended(id)
  }

  /** This page writes it now, and nobody else does. */
  came(id: SessionId): void {
    if (this.#elsewhere.delete(id)) this.#look()
  }

  /**
   * Calls `listener` when somebody else begins to write a session, also in another's place, or stops; then once more a
   * while later, when what that one sent last is stored.
   */
  on(listener: (id: SessionId) => void): () => void {
    return this.#listeners.on('writer', listener)
  }

  /** The page has not heard everything. */
  forget(): void {
    this.#isWhole = false
  }

  /** Nobody sees the page: until `resume` it looks only when asked to. */
  pause(): void {
    this.#isPaused = true
    this.#look()
  }

  resume(): void {
    this.#isPaused = false
    this.#look()
    this.refresh().catch(() => {})
  }

  end(): void {
    this.#elsewhere.clear()
    for (const timer of this.#lastWords) clearTimeout(timer)
    this.#lastWords.clear()
    this.pause()
  }

  async #isElsewhere(id: SessionId): Promise<boolean> {
    if (!this.locks.areThere) return isAnywhere(this.channel, id)
    return (await this.locks.isHeld(id)) && this.locks.mine(id) === undefined
  }

  #began(id: SessionId, by?: string): void {
    if (this.#elsewhere.has(id) && (by === undefined || this.#elsewhere.get(id) === by)) return
    this.#elsewhere.set(id, by)
    this.#look()
    this.#listeners.emit('writer', id)
  }

  #ended(id: SessionId): void {
    if (!this.#elsewhere.delete(id)) return
    this.#look()
    this.#listeners.emit('writer', id)
    const timer = setTimeout(() => {
      this.#lastWords.delete(timer)
      this.#listeners.emit('writer', id)
    }, LAST_WORDS)
    this.#lastWords.add(timer)
  }

  /** Looks again and again while there is anything to see. */
  #look(): void {
    const isNeeded = this.#elsewhere.size > 0 && !this.#isPaused
    const interval = this.locks.areThere ? LOOK_INTERVAL : ASK_INTERVAL
    if (isNeeded) this.#timer ??= setInterval(() => void this.refresh().catch(() => {}), interval)
    if (isNeeded || this.#timer === undefined) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
