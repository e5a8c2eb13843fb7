/** This library, by its public entry point. */
import { openSessions, type Session, type SessionEvent, type SessionStore } from 'idb-sessions'
import type { Contestant, Keeper } from '../contestant.js'

export const library: Contestant = {
  name: 'idb-sessions',
  async open(name) {
    return new LibraryKeeper(await openSessions({ name }))
  },
}

export class LibraryKeeper implements Keeper {
  constructor(readonly store: SessionStore) {}

  async fill(id: string, events: readonly SessionEvent[]): Promise<void> {
    await this.store.release(await this.store.create(id, { seed: events }))
  }

  async append(id: string, events: readonly SessionEvent[]): Promise<void> {
    const session = this.store.get(id) ?? (await this.store.load(id))
    for (const event of events) appendTo(session, event)
    await this.store.flush(session)
  }

  stream(id: string, event: SessionEvent): void {
    appendTo(this.store.get(id)!, event)
  }

  async open(id: string): Promise<number> {
    return (await this.store.load(id)).messages.length
  }

  async show(id: string): Promise<number> {
    const session = await this.store.load(id)
    void session.messages
    return session.transcript.length
  }

  async leave(id: string): Promise<void> {
    const session = this.store.get(id)
    if (session !== undefined) await this.store.release(session)
  }

  /** Of the live session, where there is one. */
  async fork(source: string, child: string, boundary?: number): Promise<void> {
    await this.store.fork(this.store.get(source) ?? source, boundary, child)
  }

  async list(): Promise<number> {
    return (await this.store.stored()).length
  }

  async delete(id: string): Promise<void> {
    await this.store.delete(id)
  }

  close(): Promise<void> {
    return this.store.close()
  }
}

/** Appends what another log has at that place. */
export function appendTo(session: Session, event: SessionEvent): SessionEvent {
  const { type, data } = event
  const { surfaceOp, sourceEventSeqs } = event as { surfaceOp?: 'append'; sourceEventSeqs?: number[] }
  const intent = surfaceOp && { surfaceOp, ...(sourceEventSeqs && { sourceEventSeqs }) }
  return session.append(type as 'user/message', data as never, ...((intent ? [intent] : []) as [never]))
}
