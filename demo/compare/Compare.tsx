import { useCallback, useState } from 'react'
import type { SessionView, StoredSession } from 'idb-sessions'
import { useBranches } from '../branches/useBranches'
import { sessionHref } from '../sessions/route'
import { titleOf } from '../sessions/titles'
import { useSessions, useSettledSessions, useStore } from '../store'
import type { Turn } from '../transcript/turns'
import { TurnView } from '../transcript/TurnView'
import { CannotShow } from '../ui/CannotShow'
import { useMore } from '../ui/useMore'
import { useRead } from '../ui/useRead'
import { compareSessions, type Compared, type Side } from './compareSessions'

interface CompareProps {
  view: SessionView
  /** The other session; undefined: the nearest relative. */
  otherId: string | undefined
}

/** Two sessions: what they have in common, then how each goes on, turn beside turn. */
export function Compare({ view, otherId }: CompareProps) {
  const sessions = useSessions()
  const relatives = useBranches(view.id)
  const id = otherId ?? relatives.toSorted((a, b) => b.shared - a.shared)[0]?.id
  const row = (id: string | undefined) => sessions.find(({ header }) => header.id === id)
  const others = sessions.filter(({ header }) => header.id !== view.id)
  if (others.length === 0)
    return <p className="nothing">There is no other session to compare with. Fork an answer first.</p>
  return (
    <div className="panel" tabIndex={0} role="region" aria-label="Comparison">
      <label className="compare-with">
        Compare with
        <select
          value={id ?? ''}
          onChange={({ target }) => (location.hash = sessionHref(view.id, 'compare', { with: target.value }))}
        >
          {id === undefined && <option value="">Choose a session</option>}
          {others.map((session) => (
            <option key={session.header.id} value={session.header.id}>
              {titleOf(session)}
              {relatives.some((branch) => branch.id === session.header.id) ? ' (branch)' : ''}
            </option>
          ))}
        </select>
      </label>
      {id !== undefined && <Comparison a={row(view.id)} b={row(id)} ids={[view.id, id]} />}
    </div>
  )
}

interface ComparisonProps {
  a: StoredSession | undefined
  b: StoredSession | undefined
  ids: [string, string]
}

function Comparison({ a, b, ids: [aId, bId] }: ComparisonProps) {
  const store = useStore()
  const settled = useSettledSessions()
  // oxlint-disable-next-line react/exhaustive-deps -- read again when there are more turns
  const read = useCallback(() => compareSessions(store, aId, bId), [store, aId, bId, settled])
  const state = useRead(read)
  if (state === undefined) return null
  if ('error' in state) return <CannotShow error={state.error} />
  const { shared } = state.value
  return (
    <>
      <Ancestor shared={shared} />
      <Continuations compared={state.value} a={a} b={b} />
    </>
  )
}

/** The last turn that both have; those before it are folded away. */
function Ancestor({ shared }: { shared: Side }) {
  const last = shared.turns.at(-1)
  const earlier = shared.turns.slice(0, -1)
  if (last === undefined) return <p className="muted">They have no turn in common.</p>
  return (
    <section className="ancestor" aria-label="What both have">
      <h2>Both begin with {shared.turns.length === 1 ? 'this turn' : `these ${shared.turns.length} turns`}</h2>
      {earlier.length > 0 && <Earlier log={shared} turns={earlier} />}
      <TurnView log={shared} turn={last} running={false} choice={undefined} actions={undefined} />
    </section>
  )
}

/** There may be thousands: they are only there when somebody wants to see them, the nearest ones first. */
function Earlier({ log, turns }: { log: Side; turns: readonly Turn[] }) {
  const [isOpen, open] = useState(false)
  const [count, more] = useMore(turns.length)
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>{turns.length === 1 ? 'The turn before' : `The ${turns.length} turns before`}</summary>
      {isOpen && more}
      {isOpen &&
        turns
          .slice(-count)
          .map((turn) => (
            <TurnView key={turn.key} log={log} turn={turn} running={false} choice={undefined} actions={undefined} />
          ))}
    </details>
  )
}

interface ContinuationsProps {
  compared: Compared
  a: StoredSession | undefined
  b: StoredSession | undefined
}

function Continuations({ compared, a, b }: ContinuationsProps) {
  const rows = Math.max(compared.a.turns.length, compared.b.turns.length)
  const [count, more] = useMore(rows)
  return (
    <section className="continuations" aria-label="How each goes on">
      {[a, b].map((session, side) => (
        <h2 key={side}>{session ? <a href={sessionHref(session.header.id)}>{titleOf(session)}</a> : 'Deleted'}</h2>
      ))}
      {rows === 0 && <p className="muted">They are the same.</p>}
      {Array.from({ length: count }, (_, place) =>
        [compared.a, compared.b].map((side, column) => {
          const turn = side.turns[place]
          return (
            <div key={`${column} ${place}`} data-column={column} data-title={titleOf(column === 0 ? a : b)}>
              {turn ? (
                <TurnView log={side} turn={turn} running={false} choice={undefined} actions={undefined} />
              ) : (
                <p className="muted">{place === side.turns.length && 'It ends here.'}</p>
              )}
            </div>
          )
        }),
      )}
      {more}
    </section>
  )
}
