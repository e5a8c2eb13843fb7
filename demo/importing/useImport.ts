import { useState } from 'react'
import { SessionStoreError, type ImportReport, type SessionId } from 'idb-sessions'
import { useStore } from '../store'

export type ImportOutcome =
  | { kind: 'done'; report: ImportReport }
  | { kind: 'taken'; id: SessionId }
  | { kind: 'failed'; error: unknown }

export interface Importing {
  file: File
  /** How much of it was read, 0 to 1. */
  progress: number
  /** Absent: it is being imported. */
  outcome?: ImportOutcome
  /** Chosen together with it, to come after it. */
  next: readonly File[]
}

export interface ImportActions {
  importing: Importing | undefined
  /** One after the other, and after those that were chosen before. */
  start: (files: readonly File[]) => void
  /** The file once more, under another id. */
  importAs: (id: SessionId) => void
  /** The report was read. */
  close: () => void
}

/** Imports session files, one at a time, and tells what came of each. */
export function useImport(): ImportActions {
  const store = useStore()
  const [importing, setImporting] = useState<Importing>()

  const run = async (file: File, next: readonly File[], id?: SessionId): Promise<void> => {
    const show = (state: Pick<Importing, 'progress' | 'outcome'>): void =>
      // Meanwhile there may be more to come after it.
      setImporting((now) => ({ file, next: now?.file === file ? now.next : next, ...state }))
    show({ progress: 0 })
    try {
      const source = file.stream().pipeThrough(counting((read) => show({ progress: read / file.size })))
      const report = await store.importLog(source, id === undefined ? {} : { id })
      show({ progress: 1, outcome: { kind: 'done', report } })
    } catch (error) {
      const taken = error instanceof SessionStoreError && error.code === 'SESSION_ALREADY_EXISTS'
      show({ progress: 1, outcome: taken ? { kind: 'taken', id: error.sessionId ?? '' } : { kind: 'failed', error } })
    }
  }
  const start = (files: readonly File[]): void => {
    const [file, ...next] = files
    if (file === undefined) setImporting(undefined)
    else void run(file, next)
  }
  return {
    importing,
    start: (files) => {
      if (importing === undefined) start(files)
      else setImporting((now) => now && { ...now, next: [...now.next, ...files] })
    },
    importAs: (id) => importing?.outcome && void run(importing.file, importing.next, id),
    close: () => start(importing?.next ?? []),
  }
}

/** Passes bytes on, and tells how many there were. */
function counting(tell: (bytes: number) => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk)
      tell((bytes += chunk.byteLength))
    },
  })
}
