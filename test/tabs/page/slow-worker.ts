/** A worker whose appends may be kept waiting, as those of a page that is frozen in the middle of one. */

export class SlowWorker {
  /** What waits, while it does. */
  #waiting: unknown[][] | undefined

  /** @param before the one that died; what it was to be kept from, this one is too */
  constructor(
    readonly worker: Worker,
    before?: SlowWorker,
  ) {
    if (before !== undefined) this.#waiting = before.#waiting
    const post = worker.postMessage.bind(worker) as (...args: unknown[]) => void
    worker.postMessage = (...args: unknown[]): void => {
      if (this.#waiting !== undefined && isAppend(args[0])) this.#waiting.push(args)
      else post(...args)
    }
    this.#post = post
  }

  readonly #post: (...args: unknown[]) => void

  holdBack(): void {
    this.#waiting ??= []
  }

  letThrough(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const args of waiting) this.#post(...args)
  }
}

/** As Comlink sends it. */
function isAppend(message: unknown): boolean {
  return (message as { path?: string[] } | null)?.path?.[0] === 'append'
}
