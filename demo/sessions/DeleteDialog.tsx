import type { SessionStore } from 'idb-sessions'
import { stop } from '../chat/ask'
import { Dialog } from '../Dialog'
import { report } from '../notices/notices'
import type { ListedSession } from './names'
import { go } from './route'
import type { StoredSessions } from './stored'

const WHY_NOT = {
  missing: 'it is not there any more',
  locked: 'it is open in another tab; close it there first',
}

interface DeleteDialogProps {
  store: SessionStore
  stored: StoredSessions
  session: ListedSession
  isOpen: boolean
  onClose: () => void
}

export function DeleteDialog({ store, stored, session, isOpen, onClose }: DeleteDialogProps) {
  const { name, header } = session
  const { id } = header
  const remove = async (): Promise<void> => {
    onClose()
    const live = store.get(id)
    if (live) stop(live)
    // First: it would be shown as lost while it goes.
    if (isOpen) go(undefined)
    try {
      const [result] = await store.delete(id)
      if (result && result.outcome !== 'deleted') throw new Error(WHY_NOT[result.outcome])
    } catch (error) {
      report(`“${name}” was not deleted`, error)
      void stored.refresh()
    }
  }
  return (
    <Dialog title="Delete this session?" onClose={onClose}>
      <p>“{name}” cannot be brought back. Its forks stay whole.</p>
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
