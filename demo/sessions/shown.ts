import { useEffect } from 'react'
import { Session, type SessionId, type SessionStore, type SessionView } from 'idb-sessions'
import { useStore } from '../store'

const shown = new Set<SessionView>()
/** Chosen to be shown, though it may not be read yet. */
const wanted = new Set<SessionId>()
/** Being let go. */
const leaving = new Map<SessionId, Promise<void>>()
/** Overtaken with events that could not be stored: kept until somebody has decided on them. */
const undecided = new Map<SessionId, Session>()

/** While it is on the screen, or about to be, a session is kept; afterwards it is let go. */
export function useShown(id: SessionId, view: SessionView | undefined): void {
  const store = useStore()
  useEffect(() => {
    wanted.add(id)
    return () => {
      wanted.delete(id)
      // Later: StrictMode runs this once for nothing.
      queueMicrotask(() => letGo(store, store.get(id)))
    }
  }, [store, id])
  useEffect(() => {
    if (view === undefined) return undefined
    shown.add(view)
    return () => {
      shown.delete(view)
      queueMicrotask(() => letGo(store, view))
    }
  }, [store, view])
}

/** What nobody looks at here any more can be written in another tab, unless an answer is still coming. */
export function letGo(store: SessionStore, view: SessionView | undefined): void {
  if (view === undefined || shown.has(view)) return
  if (!(view instanceof Session)) return view.close()
  if (wanted.has(view.id)) return
  if (hasLost(view)) undecided.set(view.id, view)
  // An empty one would be gone with it.
  if (view.state !== 'live' || view.turn.open !== undefined || view.seq === 0) return
  // It stays live when it cannot be stored; whoever wrote it has been told.
  const left = store.release(view).catch(console.warn)
  leaving.set(view.id, left)
  void left.finally(() => leaving.delete(view.id))
}

/** Opened before it is let go, a session would only be followed, though no other tab writes it. */
export async function whenLeft(id: SessionId): Promise<void> {
  await leaving.get(id)
}

/** What can be shown at once. */
export function atHand(store: SessionStore, id: SessionId): Session | undefined {
  return leaving.has(id) ? undefined : (store.get(id) ?? undecided.get(id))
}

export function decided(id: SessionId): void {
  undecided.delete(id)
}

function hasLost({ state, seq, durable }: Session): boolean {
  return (state === 'conflict' || state === 'released') && seq > durable
}
