/** What comes, goes or is deleted under one id does so one after another. */
import type { SessionId } from './log/event.js'

export class Queues {
  /** The last thing that is under way for an id. */
  readonly #last = new Map<SessionId, Promise<void>>()

  /** Runs `task` when nothing else is under way for any of these ids, and lets nothing else begin before its end. */
  exclusive<T>(ids: readonly SessionId[], task: () => Promise<T>): Promise<T> {
    const run = Promise.all(ids.map((id) => this.settled(id))).then(task)
    const settled = run.then(
      () => {},
      () => {},
    )
    for (const id of ids) this.#last.set(id, settled)
    void settled.then(() => {
      for (const id of ids) if (this.#last.get(id) === settled) this.#last.delete(id)
    })
    return run
  }

  /** Resolves when what is under way for an id now has come to its end. */
  async settled(id: SessionId): Promise<void> {
    await this.#last.get(id)
  }

  /** Resolves when nothing is under way any more; at once when nothing is. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values())
  }
}
