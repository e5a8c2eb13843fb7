import { Chat } from '../chat/Chat'
import { Compare } from '../compare/Compare'
import { Inspector } from '../inspect/Inspector'
import { BranchMapView } from '../map/BranchMapView'
import { Boundary } from '../ui/Boundary'
import { CannotOpenSession } from './CannotOpenSession'
import type { Route } from './route'
import { SessionHeader } from './SessionHeader'
import { useOpenSession } from './useOpenSession'

/** React has told the console more. */
const MISSHAPEN = 'Some of its events are not shaped as this page expects; it can still be exported'

/** A session under its header, in one of the ways to look at it. */
export function OpenSession({ route }: { route: Route & { id: string } }) {
  const { opened, retry, takeOver, follow } = useOpenSession(route.id)
  if (opened === undefined) return <p className="opening">Opening the session…</p>
  const { id } = opened
  const cannotOpen = (error: unknown) => <CannotOpenSession id={id} error={error} onRetry={retry} />
  if ('error' in opened) return cannotOpen(opened.error)
  const { view } = opened
  return (
    <Boundary key={id} fallback={cannotOpen(new Error(MISSHAPEN))}>
      <section className="chat" aria-label="Session">
        <SessionHeader view={view} current={route.view} />
        {route.view === 'chat' && <Chat view={view} place={route.place} onTakeOver={takeOver} onFollow={follow} />}
        {route.view === 'map' && <BranchMapView view={view} />}
        {route.view === 'compare' && <Compare view={view} otherId={route.other} />}
        {route.view === 'log' && <Inspector view={view} />}
      </section>
    </Boundary>
  )
}
