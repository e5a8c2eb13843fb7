import type { StoredSession } from 'idb-sessions'
import { stop } from '../chat/ask'
import { report } from '../notices/notices'
import { useStore } from '../store'
import { Dialog } from '../ui/Dialog'
import { NEW_CHAT } from './route'
import { titleOf } from './titles'

const WHY_NOT = {
  missing: 'it is not there any more',
  locked: 'it is open in another tab; close it there first',
}

interface DeleteDialogProps {
  session: StoredSession
  isOpen: boolean
  onClose: () => void
}

export function DeleteDialog({ session, isOpen, onClose }: DeleteDialogProps) {
  const store = useStore()
  const { id } = session.header
  const title = titleOf(session)
  const remove = async (): Promise<void> => {
    onClose()
    const live = store.get(id)
    if (live) stop(live)
    // First: it would be shown as lost while it goes. The back button does not lead there.
    if (isOpen) location.replace(NEW_CHAT)
    try {
      const [result] = await store.delete(id)
      if (result && result.outcome !== 'deleted') throw new Error(WHY_NOT[result.outcome])
    } catch (error) {
      report(`“${title}” was not deleted`, error)
    }
  }
  return (
    <Dialog title="Delete this session?" onClose={onClose}>
      <p>“{title}” cannot be brought back. Its forks stay whole.</p>
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
