/** Programs that a test run starts, in a place of their own; each ends with all that it started, and with the run. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** How long a program may take to start on a busy machine, and to end before it is made to, in ms. */
const START = 60_000
const END = 5_000

export class Programs {
  /** Gone with the programs. */
  readonly folder: string
  /** Last come, first ended. */
  readonly #started: ChildProcess[] = []

  constructor(title: string) {
    this.folder = mkdtempSync(join(tmpdir(), `idb-sessions-${title}-`))
    process.once('exit', this.#abandon)
  }

  start(program: string, args: string[], env: Record<string, string> = {}): ChildProcess {
    const started = spawn(program, args, {
      env: { ...process.env, ...env },
      // The fourth is for what a program has to say when it is ready.
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      // It leads a process group, since a program that is killed leaves behind what it started.
      detached: true,
    })
    // Whoever waits for it is told by `untilStarted`.
    started.on('error', () => {})
    this.#started.unshift(started)
    return started
  }

  async end(): Promise<void> {
    process.off('exit', this.#abandon)
    for (const program of this.#started.splice(0)) {
      if (hasEnded(program)) continue
      signal(program, 'SIGTERM')
      await Promise.race([once(program, 'exit'), wait(END, undefined, { ref: false })])
      signal(program, 'SIGKILL')
    }
    this.#removeFolder()
  }

  readonly #abandon = (): void => {
    for (const program of this.#started) signal(program, 'SIGKILL')
    this.#removeFolder()
  }

  #removeFolder(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The result, if the program lives until then and it does not take too long. */
export async function untilStarted<T>(program: ChildProcess, result: Promise<T>): Promise<T> {
  const name = program.spawnfile
  const timer = new AbortController()
  const ended = once(program, 'exit', timer).then(([code]) => {
    throw new Error(`${name} ended with ${code} instead of starting`)
  })
  const late = wait(START, undefined, timer).then(() => {
    throw new Error(`${name} did not start within ${START / 1000} s`)
  })
  try {
    return await Promise.race([result, ended, late])
  } finally {
    timer.abort()
    await Promise.allSettled([ended, late])
  }
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // All of them have gone already.
  }
}
