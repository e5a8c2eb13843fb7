import type { SessionStore } from 'idb-sessions'

/** What the store tells, in order. */
export function trace(store: SessionStore): string[] {
  const told: string[] = []
  store.on('session/created', ({ id, seq }) => void told.push(`created ${id} ${seq}`))
  store.on('session/event', ({ id }, { seq, type }) => void told.push(`event ${id} ${seq} ${type}`))
  store.on('session/flush', ({ id }) => void told.push(`flush ${id}`))
  store.on('session/disposed', ({ id, state }) => void told.push(`disposed ${id} ${state}`))
  return told
}
