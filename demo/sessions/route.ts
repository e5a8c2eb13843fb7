import { useMemo, useSyncExternalStore } from 'react'
import type { SessionId } from 'idb-sessions'

export const NEW_CHAT = '#'

export type View = 'chat' | 'map' | 'compare' | 'log'
const VIEWS: readonly string[] = ['chat', 'map', 'compare', 'log'] satisfies View[]

export interface Route {
  /** The open session; undefined: a new chat. */
  id: SessionId | undefined
  view: View
  /** What it is compared with. */
  other: SessionId | undefined
  /** The turn to begin at, by its place; undefined: the end. */
  place: number | undefined
}

/** What is on the screen is in the URL, so that a reload, a bookmark and the back button find it. */
export function sessionHref(
  session: SessionId,
  view: View = 'chat',
  more: { with?: SessionId; place?: number } = {},
): string {
  const fields = { session, ...(view !== 'chat' && { view }), ...more }
  return `#${new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]))}`
}

export function go(id: SessionId | undefined): void {
  location.hash = id === undefined ? NEW_CHAT : sessionHref(id)
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash)
  return useMemo(() => read(hash), [hash])
}

function read(hash: string): Route {
  const fields = new URLSearchParams(hash.slice(1))
  const view = fields.get('view') ?? ''
  return {
    id: fields.get('session') ?? undefined,
    view: VIEWS.includes(view) ? (view as View) : 'chat',
    other: fields.get('with') ?? undefined,
    place: /^\d+$/.test(fields.get('place') ?? '') ? Number(fields.get('place')) : undefined,
  }
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener)
  return () => removeEventListener('hashchange', listener)
}
