/**
 * Node 20 has no Web Locks: these are, for several pages of one realm. To be imported before anything that looks for them.
 * Does nothing where there are real ones.
 */

interface Asked {
  name: string
  mode: LockMode
  /** Its own, so that no two are one client's. */
  clientId: string
  grant: () => void
  fail: (reason: unknown) => void
}

class FakeLocks {
  #held: Asked[] = []
  #pending: Asked[] = []
  #made = 0

  request<T>(name: string, ...rest: [LockOptions, LockGrantedCallback<T>] | [LockGrantedCallback<T>]): Promise<T> {
    const [options, callback] = rest.length === 1 ? [{}, rest[0]] : rest
    const { mode = 'exclusive', ifAvailable = false, steal = false, signal } = options
    return new Promise<T>((resolve, reject) => {
      const end = (): void => {
        this.#held = this.#held.filter((other) => other !== request)
        this.#pump()
      }
      const call = async (lock: Lock | null): Promise<T> => callback(lock)
      const grant = (): void => {
        this.#held.push(request)
        // Never in the same breath.
        void Promise.resolve({ name, mode }).then(call).then(resolve, reject).finally(end)
      }
      const request: Asked = { name, mode, clientId: `${++this.#made}`, grant, fail: reject }
      if (signal?.aborted) return reject(signal.reason as Error)
      if (steal) {
        for (const other of this.#held) if (other.name === name) other.fail(new DOMException('stolen', 'AbortError'))
        this.#held = this.#held.filter((other) => other.name !== name)
        return grant()
      }
      if (this.#isFree(request) && !this.#pending.some((other) => other.name === name)) return grant()
      if (ifAvailable) return void Promise.resolve(null).then(call).then(resolve, reject)
      this.#pending.push(request)
      signal?.addEventListener('abort', () => {
        if (!this.#pending.includes(request)) return
        this.#pending = this.#pending.filter((other) => other !== request)
        reject(signal.reason as Error)
        this.#pump()
      })
    })
  }

  query(): Promise<LockManagerSnapshot> {
    return Promise.resolve({ held: this.#held.map(info), pending: this.#pending.map(info) })
  }

  #isFree({ name, mode }: Asked): boolean {
    return !this.#held.some((other) => other.name === name && (mode === 'exclusive' || other.mode === 'exclusive'))
  }

  /** Grants in the order of asking. */
  #pump(): void {
    const waiting = new Set<string>()
    for (const request of Array.from(this.#pending)) {
      if (waiting.has(request.name) || !this.#isFree(request)) {
        waiting.add(request.name)
        continue
      }
      this.#pending = this.#pending.filter((other) => other !== request)
      request.grant()
    }
  }
}

function info({ name, mode, clientId }: Asked): LockInfo {
  return { name, mode, clientId }
}

const there = (globalThis as { navigator?: Navigator }).navigator
if (there?.locks === undefined) {
  const holder = there ?? {}
  Object.defineProperty(holder, 'locks', { value: new FakeLocks() })
  if (there === undefined) Object.defineProperty(globalThis, 'navigator', { value: holder })
}
