import type { SessionId, SessionStore } from 'idb-sessions'
import { report } from '../notices/notices'

/** Hands a session to the person as a file. */
export async function exportFile(store: SessionStore, id: SessionId): Promise<void> {
  try {
    const log = await store.exportLog(id)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(await new Response(log).blob())
    link.download = `${id}.session.jsonl`
    link.click()
    // The browser reads the file after the click, and does not tell when it has.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
  } catch (error) {
    report('The session was not exported', error)
  }
}
