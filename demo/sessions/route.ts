import { useSyncExternalStore } from 'react'
import type { SessionId } from 'idb-sessions'

export const NEW_CHAT = '#'

/** The open session is in the URL, so that a reload, a bookmark and the back button find it. */
export function sessionHref(id: SessionId): string {
  return `#${new URLSearchParams({ session: id })}`
}

export function go(id: SessionId | undefined): void {
  location.hash = id === undefined ? NEW_CHAT : sessionHref(id)
}

/** The open session's id; undefined: a new chat. */
export function useRoute(): SessionId | undefined {
  return useSyncExternalStore(subscribe, current)
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}

function current(): SessionId | undefined {
  return new URLSearchParams(location.hash.slice(1)).get('session') ?? undefined
}
