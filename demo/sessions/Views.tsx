import type { SessionId } from 'idb-sessions'
import { sessionHref, type View } from './route'

const VIEWS: readonly { view: View; name: string }[] = [
  { view: 'chat', name: 'Chat' },
  { view: 'map', name: 'Map' },
  { view: 'compare', name: 'Compare' },
  { view: 'log', name: 'Log' },
]

/** The ways to look at a session. */
export function Views({ id, current }: { id: SessionId; current: View }) {
  return (
    <nav className="views" aria-label="Views">
      {VIEWS.map(({ view, name }) => (
        <a key={view} href={sessionHref(id, view)} aria-current={view === current ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  )
}
