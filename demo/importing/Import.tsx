import { useRef } from 'react'
import { createPortal } from 'react-dom'
import { DropZone } from './DropZone'
import { ImportDialog } from './ImportDialog'
import { useImport, type Importing } from './useImport'

/** Takes session files, chosen or dropped anywhere on the page, and reports what came of each. */
export function Import({ onOpen }: { onOpen: () => void }) {
  const input = useRef<HTMLInputElement>(null)
  const { importing, start, importAs, close } = useImport()
  const isBusy = importing !== undefined && importing.outcome === undefined
  return (
    <>
      <button type="button" aria-disabled={isBusy} onClick={() => isBusy || input.current?.click()}>
        {isBusy ? 'Importing…' : 'Import'}
      </button>
      <input
        ref={input}
        hidden
        multiple
        type="file"
        accept=".jsonl"
        aria-label="Session file"
        onChange={({ target }) => {
          const chosen = [...(target.files ?? [])]
          // Cleared, or choosing the same file again would be no change.
          target.value = ''
          start(chosen)
        }}
      />
      <DropZone onDrop={start} />
      {isBusy && <Progress importing={importing} />}
      {importing?.outcome && (
        <ImportDialog
          file={importing.file}
          outcome={importing.outcome}
          onImportAs={importAs}
          onOpen={() => {
            close()
            onOpen()
          }}
          onClose={close}
        />
      )}
    </>
  )
}

/** In sight also where the list is not. */
function Progress({ importing: { file, progress } }: { importing: Importing }) {
  return createPortal(
    <div className="import-progress" role="status">
      <label>
        Importing {file.name}
        <progress value={progress} />
      </label>
    </div>,
    document.body,
  )
}
