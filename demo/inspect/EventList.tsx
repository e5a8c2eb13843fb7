import { useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { SessionView } from 'idb-sessions'

/** Of a row that is not unfolded, px. */
const ROW = 34

/** The raw log, an event a line, and how far it is stored. Only what is in sight is in the page. */
export function EventList({ view }: { view: SessionView }) {
  const seq = useSyncExternalStore(view.subscribe, () => view.seq)
  const durable = useSyncExternalStore(view.subscribe, () => view.durable)
  const box = useRef<HTMLDivElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- there is no React Compiler here to be misled
  const list = useVirtualizer({
    count: seq,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    anchorTo: 'end',
    followOnAppend: true,
    overscan: 10,
  })
  useLayoutEffect(() => list.scrollToEnd(), [list])
  return (
    <>
      <p className="muted durable">
        {durable} of {seq} events are stored, {seq - durable} are only in this page.
      </p>
      <div ref={box} className="panel events" tabIndex={0} role="region" aria-label="Events">
        <ol style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ key, index, start }) => (
            <li
              key={key}
              ref={list.measureElement}
              data-index={index}
              data-stored={index < durable}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row view={view} seq={index} />
            </li>
          ))}
        </ol>
      </div>
    </>
  )
}

function Row({ view, seq }: { view: SessionView; seq: number }) {
  const [isOpen, open] = useState(false)
  const event = view.at(seq)
  if (event === undefined) return null
  const { type, data } = event
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>
        <span className="seq">{seq}</span> <strong>{type}</strong> <code>{JSON.stringify(data)}</code>
      </summary>
      {isOpen && <pre>{JSON.stringify(event, undefined, 2)}</pre>}
    </details>
  )
}
