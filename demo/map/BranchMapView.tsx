import { useCallback, type CSSProperties } from 'react'
import type { SessionView } from 'idb-sessions'
import { sessionHref } from '../sessions/route'
import { titleOf } from '../sessions/titles'
import { useSessions, useSettledSessions, useStore } from '../store'
import { CannotShow } from '../ui/CannotShow'
import { useRead } from '../ui/useRead'
import { readMap, type BranchMap, type Node } from './branchMap'

/** Of a turn and of a lane, with the space after it, px; as in the style sheet. */
const WIDTH = 208
const HEIGHT = 104
const NODE_WIDTH = 168
/** Of a node's middle, below the top of its lane. */
const MIDDLE = 56

/** A session and its relatives: a lane for each, with its own turns as nodes that lead to it. */
export function BranchMapView({ view }: { view: SessionView }) {
  const store = useStore()
  const sessions = useSessions()
  const { id } = view
  const settled = useSettledSessions()
  // oxlint-disable-next-line react/exhaustive-deps -- read again when there are more turns
  const read = useCallback(() => readMap(store, id), [store, id, settled])
  const state = useRead(read)
  if (state === undefined) return null
  if ('error' in state) return <CannotShow error={state.error} />
  const map = state.value
  const title = (session: string): string => titleOf(sessions.find(({ header }) => header.id === session))
  const current = pathTo(map, id)
  const end = map.lanes.find(({ session }) => session === id)?.end
  const isEnd = ({ column, lane }: Node): boolean => column === end?.column && lane === end.lane
  return (
    <div className="panel map" tabIndex={0} role="region" aria-label="Map of branches">
      <div className="map-plane" style={{ width: map.columns * WIDTH + 40, height: map.lanes.length * HEIGHT }}>
        <svg aria-hidden="true" width="100%" height="100%">
          {/* What leads to this session lies over the rest. */}
          {map.nodes
            .toSorted((a, b) => Number(current.has(a)) - Number(current.has(b)))
            .map((node) => (
              <Edge key={`${node.lane} ${node.column}`} node={node} isCurrent={current.has(node)} />
            ))}
        </svg>
        {map.lanes.map(({ session, end }, lane) => (
          <div
            key={session}
            className="map-lane"
            role="group"
            aria-label={title(session)}
            style={{ '--lane': lane } as CSSProperties}
          >
            <a
              className="map-title"
              href={sessionHref(session)}
              aria-current={session === id ? 'page' : undefined}
              style={{ left: titleColumn(map, lane) * WIDTH }}
            >
              {title(session)}
            </a>
            {map.nodes
              .filter((node) => node.lane === lane)
              .map((node) => (
                <a
                  key={node.column}
                  className="map-node"
                  data-current={current.has(node)}
                  ref={isEnd(node) ? intoView : undefined}
                  href={sessionHref(session, 'chat', { place: node.column })}
                  title={node.label}
                  style={{ left: node.column * WIDTH }}
                >
                  <span className="visually-hidden">Turn {node.column + 1}: </span>
                  <span>{node.label}</span>
                </a>
              ))}
            {end !== undefined && end.lane !== lane && (
              <p className="muted map-end" style={{ left: titleColumn(map, lane) * WIDTH }}>
                nothing of its own yet
              </p>
            )}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Where this session ends, which may be far from the left. */
function intoView(node: HTMLElement | null): void {
  node?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}

function Edge({ node: { column, lane, from }, isCurrent }: { node: Node; isCurrent: boolean }) {
  if (from === undefined) return null
  const x = from.column * WIDTH + NODE_WIDTH
  const y = from.lane * HEIGHT + MIDDLE
  const [toX, toY] = [column * WIDTH, lane * HEIGHT + MIDDLE]
  const bend = (toX - x) / 2
  return (
    <path
      className="map-edge"
      data-current={isCurrent}
      d={`M${x} ${y} C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}`}
    />
  )
}

/** Above its first own turn. */
function titleColumn({ nodes, lanes }: BranchMap, lane: number): number {
  return nodes.find((node) => node.lane === lane)?.column ?? lanes[lane]?.end?.column ?? 0
}

/** The turns of a session, in whichever lanes they are. */
function pathTo({ nodes, lanes }: BranchMap, session: string): ReadonlySet<Node> {
  const path = new Set<Node>()
  for (let at = lanes.find((lane) => lane.session === session)?.end; at !== undefined;) {
    const { column, lane } = at
    const node = nodes.find((node) => node.column === column && node.lane === lane)
    if (node === undefined) break
    path.add(node)
    at = node.from
  }
  return path
}
