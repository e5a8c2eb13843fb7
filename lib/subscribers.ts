/** Whoever wants to know that a view has changed. */
import { oncePerFrame } from './frame.js'

export class Subscribers {
  readonly #entries = new Set<{ listener: () => void }>()

  /** Returns what ends it. One that is added twice is called twice. */
  add(listener: () => void): () => void {
    const entry = { listener }
    this.#entries.add(entry)
    return () => void this.#entries.delete(entry)
  }

  /** They are told in the next frame. */
  changed(): void {
    if (this.#entries.size > 0) this.#notify()
  }

  readonly #notify = oncePerFrame(() => {
    for (const { listener } of this.#entries) {
      try {
        listener()
      } catch (error) {
        console.error('idb-sessions: a subscriber failed', error)
      }
    }
  })
}
