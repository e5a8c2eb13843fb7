import { useRef } from 'react'
import { DropZone } from './DropZone'
import { ImportDialog } from './ImportDialog'
import { useImport } from './useImport'

/** Takes session files, chosen or dropped anywhere on the page, and reports what came of each. */
export function Import() {
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
      {isBusy && (
        <div className="import-progress" role="status">
          <label>
            Importing {importing.file.name}
            <progress value={importing.progress} />
          </label>
        </div>
      )}
      {importing?.outcome && (
        <ImportDialog file={importing.file} outcome={importing.outcome} onImportAs={importAs} onClose={close} />
      )}
    </>
  )
}
