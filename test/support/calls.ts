/** What happens to a page's calls on their way to the worker. */
import type { Calls } from '../../lib/wire/protocol.js'
import { SessionStoreError } from '../../lib/wire/errors.js'
import type { Page } from './page.js'

type Name = keyof Calls

/** Every call from now on passes through `on`, which makes it by `call` when and if it likes. */
function intercept({ connection }: Page, on: (name: Name, call: () => Promise<unknown>) => Promise<unknown>): void {
  const before = connection.call.bind(connection)
  const call = (name: Name, ...args: never[]): Promise<unknown> => on(name, () => before(name, ...(args as never)))
  connection.call = call as typeof connection.call
}

/** Runs `task` before the next calls of this name go out; what it throws is their answer. Returns what ends it. */
export function beforeCall(page: Page, name: Name, task: () => unknown, times = 1): () => void {
  let left = times
  intercept(page, async (called, call) => {
    if (called === name && left > 0) {
      left--
      await task()
    }
    return call()
  })
  return () => {
    left = 0
  }
}

/** Runs `task` when the calls of this name are carried out, before their answer comes. */
export function afterCall(page: Page, name: Name, task: () => unknown): void {
  intercept(page, async (called, call) => {
    const answer = await call()
    if (called === name) await task()
    return answer
  })
}

/** Holds the next `count` calls back until the last of them is there, then does `task` and makes them all. */
export function holdCalls(page: Page, count: number, task: () => void): void {
  const { opened, open } = gate()
  let held = 0
  intercept(page, async (_name, call) => {
    if (++held === count) {
      task()
      open()
    }
    await opened
    return call()
  })
}

/** The next call of this name is carried out, but its answer is lost with the worker. */
export function loseAnswer(page: Page, name: Name): void {
  let isLost = false
  intercept(page, async (called, call) => {
    const answer = await call()
    if (isLost || called !== name) return answer
    isLost = true
    throw new SessionStoreError('WORKER_FAILED', 'died before it answered')
  })
}

/** Storage that has no room for calls of this name, until the returned function is called. */
export function noRoom(page: Page, name: Name): () => void {
  const full = (): never => {
    throw new SessionStoreError('STORAGE_FULL', 'no room')
  }
  return beforeCall(page, name, full, Infinity)
}

/** The names of the calls that go out from now on. */
export function watchCalls(page: Page): Name[] {
  const names: Name[] = []
  intercept(page, (name, call) => {
    names.push(name)
    return call()
  })
  return names
}

/** A promise and what resolves it. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}
