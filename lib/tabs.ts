/** This page among the other tabs of its database: who writes what, and what they tell each other. */
import { TabChannel } from './channel.js'
import { SessionLocks, type Right } from './locks.js'
import type { SessionId } from './log/event.js'
import type { StoredChange } from './stored.js'
import { askToLeave, locked, takeOver } from './takeover.js'
import { Writers } from './writers.js'

export class Tabs {
  readonly locks: SessionLocks
  readonly channel: TabChannel
  readonly writers: Writers
  /** In Chromium a frozen page hears what is said, but neither its timers nor its worker run. */
  isFrozen = false
  /** The page has gone, perhaps into the back/forward cache. */
  isAway = false

  /**
   * @param token this page's name among the others
   * @param isAlone what is in memory is this page's alone
   * @param isHere whether this page writes a session
   */
  constructor(databaseName: string, token: string, isAlone: boolean, isHere: (id: SessionId) => boolean) {
    this.locks = new SessionLocks(databaseName, isAlone)
    this.channel = new TabChannel(databaseName, token, isAlone)
    this.writers = new Writers(this.locks, this.channel, isHere, () => this.isFrozen)
  }

  /** The right to write a session. Rejects with `SESSION_LOCKED` when another tab has it and, after a short wait, still does. */
  async take(id: SessionId): Promise<Right> {
    const right = await this.locks.take(id)
    if (right === undefined) throw locked(id)
    return right
  }

  /** The same, from whoever has it. Rejects with `SESSION_LOCKED` when that tab cannot let go. */
  async takeOver(id: SessionId): Promise<Right> {
    if (this.locks.areThere) return takeOver(this.locks, this.channel, id)
    await askToLeave(this.channel, id)
    return this.take(id)
  }

  /** Whether another tab writes a session now. */
  async isElsewhere(id: SessionId): Promise<boolean> {
    await this.writers.lookAt(id)
    return this.writers.of(id) === 'elsewhere'
  }

  tellWriter(id: SessionId, isLive: boolean): void {
    this.channel.post({ kind: 'writer', id, isLive })
  }

  tellChange({ id, kind, length }: StoredChange): void {
    this.channel.post({ kind: 'changed', id, change: kind, length })
  }

  /** Nothing is heard, and nobody waited for, until `resume`. */
  pause(): void {
    this.isAway = true
    this.writers.pause()
    this.channel.close()
  }

  resume(): void {
    this.isAway = false
    this.channel.open()
    this.writers.forget()
  }

  end(): void {
    this.writers.end()
    this.channel.close()
  }
}
