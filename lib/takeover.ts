/** Taking a session over from the tab that writes it: in order where that tab answers, by force where it is silent. */
import type { Heard, TabChannel } from './channel.js'
import type { Right, SessionLocks } from './locks.js'
import type { SessionId } from './log/event.js'
import { SessionStoreError } from './wire/errors.js'

/** A tab that does not answer within this is frozen, or busy as if it were, ms. */
const SILENCE = 1000
/** How long a tab that has answered may take to store what it has, ms. After that neither waits for the other. */
export const PATIENCE = 15_000

/** 'silent': nobody answers, or not any more. */
type Answer = { refusal: SessionStoreError } | 'silent'
type Outcome = { right: Right } | Answer

/**
 * The session's lock. Rejects with `SESSION_LOCKED`: who holds it answered that it cannot store what it has, or is taking
 * too long; the cause says why.
 */
export async function takeOver(locks: SessionLocks, channel: TabChannel, id: SessionId): Promise<Right> {
  const free = await locks.takeIfFree(id)
  if (free !== undefined) return free
  for (;;) {
    const holder = await locks.holderOf(id)
    const { gaps } = channel
    const outcome = await askAndQueue(locks, channel, id)
    if (outcome === 'silent') {
      // This page has been away: who answered then was not heard.
      if (channel.gaps !== gaps) throw locked(id)
      // Who was silent is robbed; who has come in its place has not been asked.
      if (holder === undefined || (await locks.holderOf(id)) !== holder) continue
      return locks.steal(id)
    }
    if ('refusal' in outcome) throw locked(id, outcome.refusal)
    return outcome.right
  }
}

/** Where there are no locks: resolves when who writes the session has let go, or nobody answers. */
export async function askToLeave(channel: TabChannel, id: SessionId): Promise<void> {
  // Nobody is there.
  if (channel.silence === 0) return
  const outcome = await ask(channel, id, true).outcome
  if (outcome !== 'silent') throw locked(id, outcome.refusal)
}

/** Whether any tab says that it writes the session; for where there are no locks. */
export async function isAnywhere(channel: TabChannel, id: SessionId): Promise<boolean> {
  const wait = channel.silence
  if (wait === 0) return false
  return new Promise((resolve) => {
    const answer = (isThere: boolean): void => {
      stop()
      off()
      resolve(isThere)
    }
    const stop = afterListening(wait, () => answer(false))
    const off = channel.on((heard) => {
      if (heard.id !== id) return
      // One that begins to write it meanwhile need not be asked.
      if (heard.kind === 'here' || (heard.kind === 'writer' && heard.isLive)) answer(true)
    })
    channel.post({ kind: 'who', id })
  })
}

export function locked(id: SessionId, cause?: SessionStoreError): SessionStoreError {
  const why = cause === undefined ? 'follow it, or take it over' : `and cannot let go of it: ${cause.message}`
  const message = `the session '${id}' is live in another tab; ${why}`
  return new SessionStoreError('SESSION_LOCKED', message, { sessionId: id, ...(cause !== undefined && { cause }) })
}

/** In the queue first: between the other tab's letting go and the request nobody else may come. */
async function askAndQueue(locks: SessionLocks, channel: TabChannel, id: SessionId): Promise<Outcome> {
  const giveUp = new AbortController()
  const queued = locks.queue(id, giveUp.signal).then((right) => ({ right }))
  const asking = ask(channel, id, false)
  const outcome = await Promise.race([queued, asking.outcome])
  asking.end()
  if (outcome !== 'silent' && 'right' in outcome) return outcome
  giveUp.abort()
  // It may have been granted in this very moment.
  return queued.catch(() => outcome)
}

/**
 * Asks whoever writes the session, and whoever comes to write it meanwhile.
 * @param isFree that it has let go is enough: there is no lock to wait for
 */
function ask(channel: TabChannel, id: SessionId, isFree: boolean): { outcome: Promise<Answer>; end: () => void } {
  let end = (): void => {}
  const outcome = new Promise<Answer>((resolve) => {
    let stop = (): void => {}
    const settle = (answer: Answer): void => {
      end()
      resolve(answer)
    }
    const wait = (time: number, late: Answer): void => {
      stop()
      stop = afterListening(time, () => settle(late))
    }
    /** Who has said that it has the session: what others say of it does not count. */
    let holder: string | undefined
    const begin = (): void => {
      holder = undefined
      wait(SILENCE, 'silent')
      channel.post({ kind: 'ask', id })
    }
    const off = channel.on((heard: Heard) => {
      if (heard.id !== id) return
      if (heard.kind === 'writer' && heard.isLive) return begin()
      if (heard.kind === 'asked' && holder === undefined) {
        holder = heard.from
        channel.post({ kind: 'want', id, to: holder })
        wait(PATIENCE, { refusal: tooSlow(id) })
      }
      if (heard.from !== holder) return
      if (heard.kind === 'kept') settle({ refusal: refusalOf(heard) })
      else if (heard.kind === 'writer' && isFree) settle('silent')
      else if (heard.kind === 'writer') wait(SILENCE, 'silent')
    })
    end = () => {
      stop()
      off()
    }
    begin()
  })
  return { outcome, end: () => end() }
}

/**
 * Calls `task` after so long a time, ms, in which this page could hear others. One that was itself busy or frozen comes late
 * to the first half, and hears in the second what was said meanwhile. Returns what ends it.
 */
function afterListening(time: number, task: () => void): () => void {
  let timer = setTimeout(() => (timer = setTimeout(task, time / 2)), time / 2)
  return () => clearTimeout(timer)
}

function refusalOf({ id, code, message }: Extract<Heard, { kind: 'kept' }>): SessionStoreError {
  return new SessionStoreError(code, message, { sessionId: id })
}

function tooSlow(id: SessionId): SessionStoreError {
  const message = `it has not stored what it holds of '${id}' within ${PATIENCE / 1000} s; try again, or close that tab`
  return new SessionStoreError('BLOCKED', message, { sessionId: id })
}
