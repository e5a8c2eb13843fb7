import type { SessionStore, StoredSession } from 'idb-sessions'
import { stop } from '../chat/ask'
import { Dialog } from '../Dialog'
import { report } from '../notices/notices'
import { go } from './route'
import { displayTitle } from './stored'

interface DeleteDialogProps {
  store: SessionStore
  session: StoredSession
  isOpen: boolean
  onClose: () => void
}

export function DeleteDialog({ store, session, isOpen, onClose }: DeleteDialogProps) {
  const { id } = session.header
  const remove = async (): Promise<void> => {
    onClose()
    const live = store.get(id)
    if (live) stop(live)
    try {
      const [result] = await store.delete(id)
      if (result?.outcome === 'locked') throw new Error('it is open in another tab; close it there first')
      if (isOpen) go(undefined)
    } catch (error) {
      report('The session was not deleted', error)
    }
  }
  return (
    <Dialog title="Delete this session?" onClose={onClose}>
      <p>“{displayTitle(session)}” cannot be brought back. Its forks stay whole.</p>
      <div className="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="danger" onClick={() => void remove()}>
          Delete
        </button>
      </div>
    </Dialog>
  )
}
