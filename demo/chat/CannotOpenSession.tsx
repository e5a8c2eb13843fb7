import type { SessionId, SessionStore } from 'idb-sessions'
import { explain } from '../notices/explain'
import { exportFile } from '../sessions/exportFile'
import { NEW_CHAT } from '../sessions/route'

interface CannotOpenSessionProps {
  store: SessionStore
  id: SessionId
  error: unknown
  onRetry: () => void
}

export function CannotOpenSession({ store, id, error, onRetry }: CannotOpenSessionProps) {
  const { what, cure } = explain(error)
  return (
    <section className="welcome" role="alert">
      <h1>This session cannot be shown</h1>
      <p>
        {what}. {cure}
      </p>
      <div className="actions">
        <a className="button primary" href={NEW_CHAT}>
          New chat
        </a>
        <button type="button" onClick={onRetry}>
          Try again
        </button>
        <button type="button" onClick={() => void exportFile(store, id)}>
          Export
        </button>
      </div>
    </section>
  )
}
