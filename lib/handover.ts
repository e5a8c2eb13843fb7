/** What a page owes the other tabs: it lets go of a session that they ask for, and of all of them while it is away. */
import type { Heard } from './channel.js'
import type { SessionCore } from './core.js'
import type { Registry } from './registry.js'
import type { SessionStoreError } from './wire/errors.js'

export class Handover {
  constructor(private readonly registry: Registry) {
    registry.tabs.channel.on((heard) => this.#heard(heard))
  }

  /**
   * The page goes, perhaps into the back/forward cache. It is thrown out of there when it holds what other tabs ask for, and
   * when it hears anything.
   */
  suspend(): void {
    const { tabs } = this.registry
    for (const core of this.registry.all()) {
      core.outbox.send()
      core.outbox.hold()
      core.lock?.release()
      core.lock = undefined
      tabs.tellWriter(core.header.id, false)
    }
    tabs.pause()
  }

  /** The page is back: nothing is sent before the right to is regained, and what another tab has taken meanwhile is lost. */
  resume(): void {
    this.registry.tabs.resume()
    for (const core of this.registry.all()) void this.#regain(core)
  }

  async #regain(core: SessionCore): Promise<void> {
    const { registry } = this
    const { id } = core.header
    const right = await registry.take(id).catch(() => undefined)
    if (right === undefined) return registry.lost(core, 'conflict')
    if (core.state !== 'live') return right.held?.release()
    core.lock = right.held
    right.onStolen = () => registry.lost(core, 'conflict')
    registry.tabs.tellWriter(id, true)
    core.outbox.resume()
    // Another tab may have had it and let go of it again.
    void core.outbox.check()
  }

  #heard(heard: Heard): void {
    const { registry } = this
    const { tabs } = registry
    const { kind, id, from } = heard
    if (kind === 'changed') {
      const { change, length } = heard
      return registry.listeners.emit('stored/changed', { id, kind: change, length })
    }
    const core = registry.get(id)
    if (core === undefined) return
    // Without locks nobody was told of being overtaken.
    if (kind === 'writer' && heard.isLive && !tabs.locks.areThere) return void core.outbox.check()
    if (kind === 'who') return tabs.channel.post({ kind: 'here', id, to: from })
    // Nothing would come of the answer.
    if (kind !== 'ask' || tabs.isFrozen) return
    tabs.channel.post({ kind: 'asked', id, to: from })
    registry.release(core.session).catch((error: unknown) => {
      const { code = 'BLOCKED', message = String(error) } = error as Partial<SessionStoreError>
      tabs.channel.post({ kind: 'kept', id, to: from, code, message })
    })
  }
}
