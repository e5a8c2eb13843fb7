/** Chromium stores IndexedDB with LevelDB or, on its way to all users, with SQLite. Which one, its files tell. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'

export type BackEnd = 'LevelDB' | 'SQLite'

/** The back ends of all databases in a profile. */
export function backEndsOf(profile: string): BackEnd[] {
  const folder = join(profile, 'Default', 'IndexedDB')
  const found = new Set<BackEnd>()
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    // The file that names the manifest of a LevelDB.
    if (basename(path) === 'CURRENT') found.add('LevelDB')
    else if (startsWith(join(folder, path), 'SQLite format 3\0')) found.add('SQLite')
  }
  return [...found]
}

function startsWith(path: string, text: string): boolean {
  const bytes = Buffer.alloc(text.length)
  try {
    const file = openSync(path, 'r')
    try {
      readSync(file, bytes)
    } finally {
      closeSync(file)
    }
  } catch {
    // A folder, or a file that the browser has just removed.
    return false
  }
  return bytes.toString('latin1') === text
}
