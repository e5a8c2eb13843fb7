import type { SessionStore, StoredSession } from 'idb-sessions'

export function titleOf(session: Pick<StoredSession, 'title'> | undefined): string {
  return session?.title ?? 'Untitled'
}

/** What a fork is called: after its parent, with the first number that is free. `Plans` and `Plans (1)` give `Plans (2)`. */
export function forkTitle(title: string, taken: ReadonlySet<string>): string {
  const name = title.replace(/ \(\d{1,3}\)$/, '')
  let n = 1
  while (taken.has(`${name} (${n})`)) n++
  return `${name} (${n})`
}

/** Names a new fork. Reads what is stored, since the list may not have the fork before it yet. */
export async function nameFork(store: SessionStore, childId: string, parentId: string): Promise<void> {
  const stored = await store.stored()
  const parent = stored.find(({ header }) => header.id === parentId)
  await store.setTitle(childId, forkTitle(titleOf(parent), new Set(stored.map(titleOf))))
}
