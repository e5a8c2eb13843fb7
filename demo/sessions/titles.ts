import type { SessionId, SessionStore, StoredSession } from 'idb-sessions'
import { shorten } from '../model/shorten'

/** Characters. Names stand in lists, buttons and sentences. */
export const LONGEST_NAME = 120
/** Of it, what a fork's number takes. */
const NUMBER = ' (999)'.length

/** What a session is called, in one line, whatever its file has for a title. */
export function titleOf(session: Pick<StoredSession, 'title'> | undefined): string {
  const name = (session?.title ?? '').replaceAll(/\s+/g, ' ').trim()
  return name === '' ? 'Untitled' : shorten(name, LONGEST_NAME)
}

/** What a fork is called: after its parent, with the first number that is free. `Plans` and `Plans (1)` give `Plans (2)`. */
export function forkTitle(title: string, taken: ReadonlySet<string>): string {
  const name = shorten(title.replace(/ \(\d{1,3}\)$/, ''), LONGEST_NAME - NUMBER)
  let n = 1
  while (taken.has(`${name} (${n})`)) n++
  return `${name} (${n})`
}

/** Names a new fork. Reads what is stored, since the list may not have the fork before it yet. */
export async function nameFork(store: SessionStore, childId: SessionId, parentId: SessionId): Promise<void> {
  const stored = await store.stored()
  const parent = stored.find(({ header }) => header.id === parentId)
  // What is kept of a deleted one has the title that is in its log.
  if (parent === undefined) return
  await store.setTitle(childId, forkTitle(titleOf(parent), new Set(stored.map(titleOf))))
}
