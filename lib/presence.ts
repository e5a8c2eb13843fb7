/** A Web Lock that shows other pages that this one lives, so that what goes with it can be told from what was left. */
import { pageLock } from './wire/protocol.js'
import { randomToken } from './wire/token.js'

export class Presence {
  readonly token = randomToken()
  #held: Promise<void> | undefined
  #end = (): void => {}

  constructor(private readonly databaseName: string) {}

  /** Resolves when the lock is held, until `end`; at once where there are no locks. */
  hold(): Promise<void> {
    this.#held ??= new Promise((held) => {
      const locks = globalThis.navigator?.locks as LockManager | undefined
      if (locks === undefined) return held()
      const ended = new Promise<void>((end) => (this.#end = end))
      locks
        .request(pageLock(this.databaseName, this.token), () => {
          held()
          return ended
        })
        .catch(() => held())
    })
    return this.#held
  }

  end(): void {
    this.#end()
  }
}
