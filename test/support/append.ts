/** A session to append to, whatever it is. */
import type { Session } from 'idb-sessions'
import { page } from './lifetime.js'

/** What append throws of what it refuses. */
export const INVALID = { name: 'SessionStoreError', code: 'INVALID_EVENT', sessionId: 'a' }

/** `append` as JavaScript sees it: no types to keep nonsense out. */
export function append(session: Session, type: unknown, data?: unknown, intent?: unknown): unknown {
  return session.append(type as never, data as never, ...([intent] as never))
}

/** A page with the session 'a'. */
export async function open(options?: Parameters<typeof page>[0]) {
  const opened = await page(options)
  return { ...opened, session: await opened.store.create('a') }
}
