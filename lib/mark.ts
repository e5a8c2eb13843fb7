/**
 * A note of which database was here, kept outside of it: a browser that evicted, lost or repaired a database opens an empty
 * one in its place without a word. Where the note does not survive either, or there is no `localStorage`, nobody can tell.
 */

export class Mark {
  readonly #key: string
  #written: string | undefined

  constructor(databaseName: string) {
    this.#key = `idb-sessions:${databaseName}`
  }

  /** The id of the database that was here when something was last made safe in it. */
  read(): string | undefined {
    try {
      return globalThis.localStorage?.getItem(this.#key) ?? undefined
    } catch {
      return undefined // forbidden here
    }
  }

  /** Only after a strict commit: after a power cut the note must not know more than the disk. */
  write(id: string): void {
    if (this.#written === id) return
    this.#written = id
    try {
      globalThis.localStorage?.setItem(this.#key, id)
    } catch {
      // Forbidden here, or full: then nobody can tell.
    }
  }
}
