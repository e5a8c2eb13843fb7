/** DSH's own session store, which keeps all in memory. Its packages are the oracle's; without them it is left out. */
import type { SessionEvent } from 'idb-sessions'
import type { Contestant, Keeper } from '../contestant.js'
import * as packages from 'dsh'

export const dsh: Contestant | undefined = packages.Context && {
  name: 'DSH, in memory',
  async open() {
    const context = new packages.Context!()
    await context.plugin(packages.sessions)
    return new DshKeeper(context.sessions)
  },
}

class DshKeeper implements Keeper {
  constructor(private readonly store: packages.Sessions) {}

  async fill(id: string, seed: readonly SessionEvent[]): Promise<void> {
    this.store.create(id, { seed })
  }

  async append(id: string, events: readonly SessionEvent[]): Promise<void> {
    for (const event of events) this.stream(id, event)
  }

  stream(id: string, event: SessionEvent): void {
    this.store.get(id).append(event.type, event.data, event)
  }

  async open(id: string): Promise<number> {
    return this.store.get(id).deriveMessages().length
  }

  async fork(source: string, child: string, boundary?: number): Promise<void> {
    this.store.fork(this.store.get(source), boundary, child)
  }

  async close(): Promise<void> {}
}
