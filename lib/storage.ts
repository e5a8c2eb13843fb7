/** What the browser says of this origin's storage, and asking it to keep it. Missing on plain-http pages, and in old browsers. */

export interface StorageFigures {
  /** Bytes in use, an estimate. */
  usage?: number
  /** Bytes that may be used, an estimate: a full disk comes first. */
  quota?: number
  /** The browser will not evict it on its own. */
  persisted?: boolean
}

export async function storageFigures(): Promise<StorageFigures> {
  const storage = manager()
  const [estimate, persisted] = await Promise.all([
    answer(() => storage?.estimate?.()),
    answer(() => storage?.persisted?.()),
  ])
  const { usage, quota } = estimate ?? {}
  return {
    ...(usage !== undefined && { usage }),
    ...(quota !== undefined && { quota }),
    ...(persisted !== undefined && { persisted }),
  }
}

export async function askToPersist(): Promise<boolean> {
  return (await answer(() => manager()?.persist?.())) ?? false
}

/** A browser that refuses to answer, as for a page in a sandbox, tells nothing. */
async function answer<T>(ask: () => Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await ask()
  } catch {
    return undefined
  }
}

function manager(): Partial<StorageManager> | undefined {
  return globalThis.navigator?.storage
}
