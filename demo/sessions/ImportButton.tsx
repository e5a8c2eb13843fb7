import { useRef, useState, useTransition } from 'react'
import { SessionStoreError, type ImportReport, type SessionId } from 'idb-sessions'
import { useStore } from '../store'
import { ImportDialog } from './ImportDialog'

export type ImportOutcome =
  | { kind: 'done'; report: ImportReport }
  | { kind: 'taken'; id: SessionId }
  | { kind: 'failed'; error: unknown }

/** Chooses a session file, imports it, and reports what came of it. */
export function ImportButton() {
  const store = useStore()
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File>()
  const [outcome, setOutcome] = useState<ImportOutcome>()
  const [importing, run] = useTransition()

  const importFile = async (file: File, id?: SessionId): Promise<void> => {
    setFile(file)
    try {
      const report = await store.importLog(file, id === undefined ? {} : { id })
      setOutcome({ kind: 'done', report })
    } catch (error) {
      const taken = error instanceof SessionStoreError && error.code === 'SESSION_ALREADY_EXISTS'
      setOutcome(taken ? { kind: 'taken', id: error.sessionId ?? '' } : { kind: 'failed', error })
    }
  }

  return (
    <>
      <button type="button" aria-disabled={importing} onClick={() => importing || input.current?.click()}>
        {importing ? 'Importing…' : 'Import'}
      </button>
      <input
        ref={input}
        hidden
        type="file"
        accept=".jsonl"
        aria-label="Session file"
        onChange={({ target }) => {
          const chosen = target.files?.[0]
          // Cleared, or choosing the same file again would be no change.
          target.value = ''
          if (chosen) run(() => importFile(chosen))
        }}
      />
      {file && outcome && (
        <ImportDialog
          file={file}
          outcome={outcome}
          onImportAs={(id) => importing || run(() => importFile(file, id))}
          onClose={() => setOutcome(undefined)}
        />
      )}
    </>
  )
}
