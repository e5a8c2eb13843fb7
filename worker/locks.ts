/** Web Locks that show that a page or its worker is alive. Missing on plain-http pages, and in Node. */

const locks: LockManager | undefined = globalThis.navigator?.locks

export const hasLocks = locks !== undefined

/** Takes a lock, when it is free, and returns what frees it. Does nothing where there are none, or they are denied. */
export function holdLock(name: string): Promise<() => void> {
  return new Promise((held) => {
    if (locks === undefined) return held(() => {})
    locks.request(name, () => new Promise<void>((release) => held(release))).catch(() => held(() => {}))
  })
}

/** Runs `task` when nobody holds the lock. */
export async function ifFree(name: string, task: () => Promise<void>): Promise<void> {
  await locks?.request(name, { ifAvailable: true }, (lock) => (lock === null ? undefined : task()))
}
