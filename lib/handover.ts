/** What a page owes the other tabs: it lets go of a session that they ask for, and of all of them while it is away. */
import { isReason, type Heard } from './channel.js'
import type { SessionCore } from './core.js'
import type { SessionId } from './log/event.js'
import type { Registry } from './registry.js'
import { PATIENCE } from './takeover.js'

export class Handover {
  /** How often the page has gone or come back. */
  #moves = 0

  constructor(private readonly registry: Registry) {
    registry.tabs.channel.on((heard) => this.#heard(heard))
  }

  /**
   * The page goes, perhaps into the back/forward cache. It is thrown out of there when it holds what other tabs ask for, and
   * when it hears anything.
   */
  suspend(): void {
    const { registry } = this
    this.#moves++
    for (const core of registry.all()) registry.suspend(core)
    registry.tabs.pause()
  }

  /** The page is back: nothing is sent before the right to is regained, and what another tab has taken meanwhile is lost. */
  resume(): void {
    this.#moves++
    this.registry.tabs.resume()
    for (const core of this.registry.all()) core.regaining = this.#regain(core)
  }

  async #regain(core: SessionCore): Promise<void> {
    const { registry } = this
    const { id } = core.header
    const moves = this.#moves
    const right = await registry.tabs.take(id).catch(() => undefined)
    // Gone once more: what counts is what the page finds when it comes back from there.
    if (this.#moves !== moves || core.state !== 'live') return right?.release()
    if (right === undefined || right.isStolen) return registry.lost(core, 'conflict')
    registry.entitle(core, right)
    registry.tabs.tellWriter(id, true)
    core.outbox.resume()
    // Another tab may have had it and let go of it again.
    void core.outbox.check()
  }

  #heard(heard: Heard): void {
    const { registry } = this
    const { tabs } = registry
    const { kind, id, from } = heard
    const core = registry.get(id)
    if (kind === 'changed') {
      const { change, length } = heard
      registry.listeners.emit('stored/changed', { id, kind: change, length })
      // Whoever says so: what is stored is the truth.
      if (change === 'deleted') void core?.outbox.check()
    }
    // Without locks nobody was told of being overtaken.
    if (kind === 'writer' && heard.isLive && !tabs.locks.areThere) void core?.outbox.check()
    if (kind === 'who' && core !== undefined) tabs.channel.post({ kind: 'here', id, to: from })
    // Of the answer of a frozen page nothing would come; and who has it not has nothing to say.
    if (tabs.isFrozen || tabs.locks.mine(id) === undefined) return
    if (kind === 'ask') tabs.channel.post({ kind: 'asked', id, to: from })
    if (kind === 'want') void this.#letGo(id, from)
  }

  /** Never rejects: the other tab is told why the session stays. */
  async #letGo(id: SessionId, to: string): Promise<void> {
    const { registry } = this
    const { channel, locks } = registry.tabs
    const right = locks.mine(id)
    const end = performance.now() + PATIENCE
    try {
      // It may be on its way in or out.
      await registry.queues.settled(id)
      const core = registry.get(id)
      // One that came since was not asked for: what this page had then it has let go of.
      if (core === undefined || locks.mine(id) !== right) return
      // Whoever asked has been refused by then, and who has it goes on with it.
      await registry.release(core.session, () => performance.now() > end)
      if (core.state === 'live') {
        channel.post({ kind: 'kept', id, to, code: 'BLOCKED', message: 'that tab has opened it once more' })
      }
    } catch (error) {
      // What was overtaken or deleted is not here any more: it is the other's, or nobody's.
      if (registry.get(id) === undefined) return
      // Listeners may reject with anything.
      const { code, message = error } = (error ?? {}) as { code?: unknown; message?: unknown }
      channel.post({ kind: 'kept', id, to, code: isReason(code) ? code : 'BLOCKED', message: String(message) })
    }
  }
}
