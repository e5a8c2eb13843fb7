import { SessionStoreError } from 'idb-sessions'
import { explain, type Explanation } from '../notices/explain'

/** Why a file was not imported, and what to do about that file. Nothing of it is kept. */
export function explainImport(error: unknown): Explanation {
  const explanation = explain(error)
  if (!(error instanceof SessionStoreError)) return explanation
  const { what } = explanation
  switch (error.code) {
    case 'INVALID_LOG': {
      const cure =
        error.line === 1
          ? 'This is no session file. Choose one that “Export” has written, or a session.jsonl of DeepSeek Harness.'
          : `Nothing was imported. Repair line ${error.line}, or export the session again.`
      return { what, cure }
    }
    case 'FORMAT_UNSUPPORTED':
      // A compressed file and an unknown event have their cure in the message.
      return what.includes('newer') ? { what, cure: 'Reload to get the latest version of this page.' } : { what }
    case 'STORAGE_FULL':
      return { what, cure: 'Nothing was imported.' }
    default:
      return explanation
  }
}
