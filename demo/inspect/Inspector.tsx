import { useState, useSyncExternalStore } from 'react'
import type { SessionView } from 'idb-sessions'
import { EventList } from './EventList'
import { Messages } from './Messages'

const PARTS = ['Events', 'Surface', 'Model’s view', 'Header'] as const

/** What is under a conversation: its log, as it is stored, and what is made of it. */
export function Inspector({ view }: { view: SessionView }) {
  const [part, show] = useState<(typeof PARTS)[number]>('Events')
  return (
    <div className="inspector">
      <div className="orders" role="group" aria-label="Part">
        {PARTS.map((name) => (
          <button key={name} type="button" aria-pressed={part === name} onClick={() => show(name)}>
            {name}
          </button>
        ))}
      </div>
      {part === 'Events' && <EventList view={view} />}
      {part === 'Surface' && <Surface view={view} />}
      {part === 'Model’s view' && <Messages view={view} />}
      {part === 'Header' && <Json value={view.header} label="Header" />}
    </div>
  )
}

function Surface({ view }: { view: SessionView }) {
  const { nodes, replaceGeneration } = useSyncExternalStore(view.subscribe, () => view.surface)
  return (
    <div className="panel" tabIndex={0} role="region" aria-label="Surface">
      <p className="muted">
        The {nodes.length} events whose messages are before the model, by their seq. Replaced {replaceGeneration} times.
      </p>
      <ol className="surface">
        {nodes.map((seq) => (
          <li key={seq}>
            <code>{seq}</code> {view.at(seq)?.type}
          </li>
        ))}
      </ol>
    </div>
  )
}

function Json({ value, label }: { value: unknown; label: string }) {
  return (
    <div className="panel" tabIndex={0} role="region" aria-label={label}>
      <pre>{JSON.stringify(value, undefined, 2)}</pre>
    </div>
  )
}
