import { SessionStoreError, type SessionId } from 'idb-sessions'
import { asSentence, explain } from '../notices/explain'
import { exportFile } from './exportFile'
import { NEW_CHAT } from './route'
import { useStore } from '../store'
import { ActionButton } from '../ui/ActionButton'

interface CannotOpenSessionProps {
  id: SessionId
  error: unknown
  onRetry: () => Promise<void>
}

export function CannotOpenSession({ id, error, onRetry }: CannotOpenSessionProps) {
  const store = useStore()
  const { what, cure } = explain(error)
  const chance = whatCanWork(error)
  return (
    <section className="welcome" role="alert">
      <h1>This session cannot be shown</h1>
      <p>
        {asSentence(what)} {cure}
      </p>
      <div className="actions">
        <a className="button primary" href={NEW_CHAT}>
          New chat
        </a>
        {chance === 'retry' && <ActionButton action={onRetry}>Try again</ActionButton>}
        {chance === 'export' && <ActionButton action={() => exportFile(store, id)}>Export</ActionButton>}
      </div>
    </section>
  )
}

/** What is stored but not understood can be taken elsewhere; storage that fails may work the next time. */
function whatCanWork(error: unknown): 'retry' | 'export' | undefined {
  if (!(error instanceof SessionStoreError)) return 'export'
  switch (error.code) {
    case 'SESSION_NOT_FOUND':
      return undefined
    case 'SESSION_CORRUPT':
    case 'FORMAT_UNSUPPORTED':
      return 'export'
    default:
      return 'retry'
  }
}
