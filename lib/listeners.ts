/** Listeners by event name, and what happens when one of them fails. */

type Listener = (...args: never[]) => unknown
type Events<E> = { [K in keyof E]: Listener }

export class Listeners<E extends Events<E>> {
  readonly #byEvent = new Map<keyof E, E[keyof E][]>()

  /** Returns what removes the listener again. One that is added twice is called twice. */
  on<K extends keyof E>(event: K, listener: E[K]): () => void {
    const entry = { listener }
    const listeners = (this.#byEvent.get(event) as (typeof entry)[] | undefined) ?? []
    this.#byEvent.set(event, [...listeners, entry] as never)
    return () => {
      const rest = (this.#byEvent.get(event) as (typeof entry)[] | undefined) ?? []
      this.#byEvent.set(event, rest.filter((other) => other !== entry) as never)
    }
  }

  /** Those that listen now; listeners that come or go meanwhile do not change it. */
  of<K extends keyof E>(event: K): E[K][] {
    const entries = (this.#byEvent.get(event) as { listener: E[K] }[] | undefined) ?? []
    return entries.map(({ listener }) => listener)
  }

  /** Calls all of them; what one throws or rejects with is reported and stops nobody else. */
  emit<K extends keyof E>(event: K, ...args: Parameters<E[K]>): void {
    for (const listener of this.of(event)) {
      try {
        watch(event, listener(...args))
      } catch (error) {
        report(event, error)
      }
    }
  }

  /** Calls all of them until one throws, which is thrown on. A promise that rejects is only reported. */
  emitOrThrow<K extends keyof E>(event: K, ...args: Parameters<E[K]>): void {
    for (const listener of this.of(event)) watch(event, listener(...args))
  }

  /** Starts all of them, waits for all, then throws the first failure in their order. */
  async emitAndWait<K extends keyof E>(event: K, ...args: Parameters<E[K]>): Promise<void> {
    const running = this.of(event).map(async (listener) => listener(...args))
    for (const outcome of await Promise.allSettled(running)) {
      if (outcome.status === 'rejected') throw outcome.reason
    }
  }
}

function watch(event: PropertyKey, result: unknown): void {
  if (result instanceof Promise) result.catch((error: unknown) => report(event, error))
}

function report(event: PropertyKey, error: unknown): void {
  console.error(`idb-sessions: a listener of '${String(event)}' failed`, error)
}
