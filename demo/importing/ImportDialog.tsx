import { useState } from 'react'
import type { ImportReport, SessionId } from 'idb-sessions'
import { Dialog } from '../ui/Dialog'
import { explainImport } from './explainImport'
import type { ImportOutcome } from './useImport'
import { sessionHref } from '../sessions/route'
import { titleOf } from '../sessions/titles'

interface ImportDialogProps {
  file: File
  outcome: ImportOutcome
  onImportAs: (id: SessionId) => void
  onOpen: () => void
  onClose: () => void
}

export function ImportDialog({ file, outcome, onImportAs, onOpen, onClose }: ImportDialogProps) {
  switch (outcome.kind) {
    case 'done':
      return <Imported report={outcome.report} onOpen={onOpen} onClose={onClose} />
    case 'taken':
      return <Taken key={outcome.id} id={outcome.id} onImportAs={onImportAs} onClose={onClose} />
    default:
      return <Refused file={file} error={outcome.error} onClose={onClose} />
  }
}

function Refused({ file, error, onClose }: { file: File; error: unknown; onClose: () => void }) {
  const { what, cure } = explainImport(error)
  return (
    <Dialog title="The file was not imported" onClose={onClose}>
      <p>
        <strong>{file.name}</strong>: {what}.
      </p>
      <p>{cure}</p>
      <div className="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

interface ImportedProps {
  report: ImportReport
  onOpen: () => void
  onClose: () => void
}

function Imported({ report: { session, dropped }, onOpen, onClose }: ImportedProps) {
  return (
    <Dialog title="Session imported" onClose={onClose}>
      <p>
        “{titleOf(session)}”, {session.length} events.
      </p>
      <p className="muted">
        Id <code>{session.header.id}</code>
      </p>
      {dropped && (
        <p>
          The end of the file is torn and was left out, from line {dropped.line} on: {dropped.reason}.
        </p>
      )}
      <div className="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
        <a className="button primary" href={sessionHref(session.header.id)} onClick={onOpen}>
          Open it
        </a>
      </div>
    </Dialog>
  )
}

interface TakenProps {
  id: SessionId
  onImportAs: (id: SessionId) => void
  onClose: () => void
}

function Taken({ id, onImportAs, onClose }: TakenProps) {
  const [otherId, setOtherId] = useState(`${id}-copy`)
  return (
    <Dialog title="This session is here already" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onImportAs(otherId)
        }}
      >
        <p>
          There is a session with the id <code>{id}</code>. Import the file as another one:
        </p>
        <label>
          New id
          <input required value={otherId} onChange={(event) => setOtherId(event.target.value)} />
        </label>
        <div className="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary">
            Import under this id
          </button>
        </div>
      </form>
    </Dialog>
  )
}
