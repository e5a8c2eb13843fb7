/** The worker: starting it, calling it, and noticing that it is not there any more. */
import { releaseProxy, wrap, type Remote } from 'comlink'
import { Mark } from './mark.js'
import { StatusBoard } from './status.js'
import { blockedBy, died, emptied, forgotten, lost, unmade, worn } from './worker-failures.js'
import { fromWire, SessionStoreError } from './wire/errors.js'
import { afterSeconds } from './wire/limit.js'
import { aliveLock, PROTOCOL, type Answer, type Api, type Calls, type News } from './wire/protocol.js'
import { randomToken } from './wire/token.js'

/** A worker that does not say hello within this was lost by a bundler, a proxy or a policy, s. */
const HELLO_LIMIT = 10
/** While a call waits, the worker is asked this often whether it lives, ms … */
const PING_INTERVAL = 1000
/** … and is given up after so many questions without an answer. Counted, not timed: a frozen page has no time. */
const PINGS_MISSED = 5

export type WorkerSource = Worker | (() => Worker)

/** Calls whose success shows that there is room. */
const WRITES: ReadonlySet<keyof Calls> = new Set([
  'create',
  'fork',
  'append',
  'flush',
  'stage',
  'importEnd',
  'setTitle',
])
/** Those that write in any case, and have made it safe against a power cut. */
const STRICT: ReadonlySet<keyof Calls> = new Set(['flush', 'setTitle', 'importEnd'])

interface Running {
  worker: Worker
  remote: Remote<Api>
  /** Rejects each waiting call. */
  waiting: Set<(error: Error) => void>
  /** It has answered once. Until then `HELLO_LIMIT` alone gives it up. */
  started: boolean
  /** It has done something: one that dies is replaced at once, unless it dies of being started. */
  served: boolean
  missed: number
  stopped?: Error
  timer: ReturnType<typeof setInterval> | undefined
}

export class Connection {
  #running: Promise<Running> | undefined
  #ended: Error | undefined
  #worn = false
  readonly #onEnd = new Set<(reason: Error) => void>()
  readonly status = new StatusBoard()
  readonly #mark: Mark
  /** The id of the database that this page works on. */
  #known: string | undefined
  #isMemory = false
  /** Another page needs the database. Resolves when this one has sent what it had. */
  onLeaving: () => Promise<void> = async () => {}

  constructor(
    readonly databaseName: string,
    private readonly source: WorkerSource | undefined,
    private readonly fallback: 'none' | 'memory' = 'none',
  ) {
    this.#mark = new Mark(databaseName)
  }

  /** Nothing outlives the worker. */
  get isMemory(): boolean {
    return this.#isMemory
  }

  /** What was written is safe against a power cut. */
  secured(): void {
    if (!this.#isMemory && this.#known !== undefined) this.#mark.write(this.#known)
  }

  /** Starts the worker and opens the database. Without it, the first call does. */
  async open(): Promise<void> {
    await this.#start()
  }

  /**
   * Asks the worker. Rejects with the worker's own error, as its class, and with `WORKER_FAILED` when the worker dies
   * first; the next call then starts it again. `STORAGE_GONE` when it held everything in memory.
   */
  async call<K extends keyof Calls>(name: K, ...args: Parameters<Calls[K]>): Promise<ReturnType<Calls[K]>> {
    return this.#ask(await this.#start(), name, args)
  }

  /** Calls `listener` when the connection has ended for good. Returns what removes it. */
  onEnd(listener: (reason: Error) => void): () => void {
    this.#onEnd.add(listener)
    return () => void this.#onEnd.delete(listener)
  }

  /** Ends the worker. Waiting and later calls reject with `reason`. */
  end(reason: Error): void {
    this.#ended = reason
    this.status.closed()
    for (const listener of this.#onEnd) listener(reason)
    this.#running?.then((running) => this.#stop(running, reason)).catch(() => {})
  }

  #start(): Promise<Running> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    if (this.#running === undefined) {
      const starting = this.#startWorker()
      this.#running = starting
      starting.catch((error: unknown) => {
        if (this.#running === starting) this.#running = undefined
        this.status.failed(error)
      })
    }
    return this.#running
  }

  async #startWorker(): Promise<Running> {
    // What it held is not in another one.
    if (this.#isMemory) throw forgotten(this.databaseName)
    const worker = this.#makeWorker()
    const remote = wrap<Api>(worker)
    const running: Running = {
      worker,
      remote,
      waiting: new Set(),
      started: false,
      served: false,
      missed: 0,
      timer: undefined,
    }
    const failed = (event: Event): void => {
      const what = (event as ErrorEvent).message || event.type
      this.#lose(running, lost(`the worker could not start (${what})`))
    }
    const closed = (): void => this.#lose(running, this.#death())
    worker.addEventListener('error', failed)
    worker.addEventListener('close', closed)
    worker.addEventListener('message', ({ data }) => {
      // What is not a call's answer.
      const news = (data as { news?: News } | null)?.news
      if (news !== undefined) this.#heard(news, running)
    })
    const stop = afterSeconds(HELLO_LIMIT, () => {
      this.#lose(running, lost(`the worker did not answer within ${HELLO_LIMIT} s`))
    })
    try {
      await this.#ask(running, 'ping', [])
      running.started = true
    } finally {
      stop()
      // From here on an uncaught error in the worker is a bug of one call, not the worker's end.
      worker.removeEventListener('error', failed)
    }
    const token = randomToken()
    try {
      await this.#open(running, token)
    } catch (error) {
      this.#stop(running, error as Error)
      throw error
    }
    // The worker holds this lock while it lives. Where there are no locks, pings tell, as soon as a call waits.
    const locks = globalThis.navigator?.locks as LockManager | undefined
    locks?.request(aliveLock(this.databaseName, token), () => this.#lose(running, this.#death())).catch(() => {})
    return running
  }

  async #open(running: Running, token: string): Promise<void> {
    const known = this.#known === undefined ? {} : { known: this.#known }
    const request = { name: this.databaseName, protocol: PROTOCOL, token, fallback: this.fallback, ...known }
    const { id, isMemory } = await this.#ask(running, 'open', [request])
    if (this.#known === undefined && isMemory) this.status.usual('memory')
    const noted = this.#known === undefined && !isMemory ? this.#mark.read() : undefined
    this.#known = id
    this.#isMemory = isMemory
    if (noted !== undefined && noted !== id) this.status.emptied(emptied(this.databaseName))
  }

  #heard(news: News, running: Running): void {
    if (news === 'blocked') return this.status.failed(blockedBy(this.databaseName))
    const leave = (): void => void this.#ask(running, 'leave', []).catch(() => {})
    this.onLeaving().then(leave, leave)
  }

  #death(): SessionStoreError {
    if (this.#isMemory) return forgotten(this.databaseName)
    return typeof this.source === 'object' ? worn() : died()
  }

  #makeWorker(): Worker {
    try {
      if (typeof this.source === 'object') {
        if (this.#worn) throw worn()
        this.#worn = true
        return this.source
      }
      if (this.source !== undefined) return requireWorker(this.source())
      if (typeof Worker === 'undefined') {
        const message = 'there are no Web Workers here; call openSessions in a browser, not while rendering on a server'
        throw new SessionStoreError('WORKER_FAILED', message)
      }
      return new Worker(new URL('../worker/index.js', import.meta.url), { type: 'module' })
    } catch (cause) {
      if (cause instanceof SessionStoreError) throw cause
      throw unmade(cause)
    }
  }

  #ask<K extends keyof Calls>(running: Running, name: K, args: Parameters<Calls[K]>): Promise<ReturnType<Calls[K]>> {
    return new Promise((resolve, reject) => {
      const settle = (done: () => void): void => {
        running.waiting.delete(reject)
        done()
      }
      if (running.stopped !== undefined) return reject(running.stopped)
      running.waiting.add(reject)
      if (running.started) this.#watch(running)
      const call = running.remote[name] as unknown as (...args: unknown[]) => ReturnType<Api[K]>
      call(...args).then(
        (answer) => settle(() => this.#answered(running, name, answer, resolve, reject)),
        (error: Error) => settle(() => reject(error)),
      )
    })
  }

  #answered<T>(
    running: Running,
    name: keyof Calls,
    answer: Answer<T>,
    resolve: (value: T) => void,
    reject: (error: Error) => void,
  ): void {
    if ('error' in answer) {
      const error = fromWire(answer.error)
      this.status.failed(error)
      return reject(error)
    }
    if (name !== 'ping' && name !== 'leave') {
      running.served = name !== 'open'
      this.status.worked(WRITES.has(name))
      if (STRICT.has(name)) this.secured()
    }
    resolve(answer.value)
  }

  /** Comlink alone would wait for a dead worker for ever. */
  #watch(running: Running): void {
    running.timer ??= setInterval(() => {
      if (running.waiting.size === 0) {
        clearInterval(running.timer)
        running.timer = undefined
        running.missed = 0
      } else if (running.missed++ >= PINGS_MISSED) {
        this.#lose(running, this.#death())
      } else {
        running.remote.ping().then(
          () => (running.missed = 0),
          () => {},
        )
      }
    }, PING_INTERVAL)
  }

  /** The next call starts another worker, or this does. */
  #lose(running: Running, error: SessionStoreError): void {
    if (running.stopped !== undefined) return
    this.#running = undefined
    this.#stop(running, error)
    this.status.failed(error)
    if (running.served && !this.#isMemory && typeof this.source !== 'object') this.#start().catch(() => {})
  }

  #stop(running: Running, error: Error): void {
    if (running.stopped !== undefined) return
    running.stopped = error
    clearInterval(running.timer)
    for (const reject of running.waiting) reject(error)
    running.waiting.clear()
    running.remote[releaseProxy]()
    running.worker.terminate()
  }
}

function requireWorker(made: Worker): Worker {
  if (typeof (made as Partial<Worker> | undefined)?.postMessage === 'function') return made
  throw new TypeError('the function that was passed gives no Worker')
}
