import { useSyncExternalStore } from 'react'
import type { SessionView } from 'idb-sessions'

/** As `session.messages` gives them to a model. */
export function Messages({ view }: { view: SessionView }) {
  const messages = useSyncExternalStore(view.subscribe, () => view.messages)
  return (
    <div className="panel" tabIndex={0} role="region" aria-label="Messages">
      <p className="muted">{messages.length} messages, made of the log by its surface.</p>
      <ol className="messages">
        {messages.map(({ id, role, content }) => (
          <li key={id}>
            <strong>{role}</strong>
            <pre>{JSON.stringify(content, undefined, 2)}</pre>
          </li>
        ))}
      </ol>
    </div>
  )
}
