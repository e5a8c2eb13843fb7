import type { StoredSession } from 'idb-sessions'

/** A stored session, and what it is called in this page. */
export interface ListedSession extends StoredSession {
  name: string
}

export function displayTitle({ title }: StoredSession): string {
  return title ?? 'Untitled'
}

/** Names sessions by their titles. Of several with one title, as forks are, the oldest has it bare; the others count on. */
export function nameApart(sessions: readonly StoredSession[]): ListedSession[] {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const session of [...sessions].sort(byAge)) {
    const title = displayTitle(session)
    let name = title
    for (let n = 1; taken.has(name); n++) name = `${title} (${n})`
    taken.add(name)
    names.set(session.header.id, name)
  }
  return sessions.map((session) => ({ ...session, name: names.get(session.header.id)! }))
}

function byAge({ header: a }: StoredSession, { header: b }: StoredSession): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)
}
