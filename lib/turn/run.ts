/** Running a turn from its prompt to its end. */
import { admitAppend } from '../log/admit.js'
import { interruptedTurnClosers } from '../log/closers.js'
import type { TurnEndReason } from '../log/event.js'
import type { UserMessage } from '../log/message.js'
import type { Session } from '../session.js'
import { SessionStoreError } from '../wire/errors.js'
import { toFailure } from './failure.js'
import { TurnWriter } from './writer.js'

export interface RunTurnOptions {
  /** Aborting it closes the turn at once, as aborted by the user, whatever `body` does then. */
  signal?: AbortSignal | undefined
}

const NO_TYPES: ReadonlySet<string> = new Set()
const APPEND = { surfaceOp: 'append' } as const

/**
 * Opens a turn with a prompt, has `body` write it, and closes it, whatever happens. Resolves to what `body` gives; to
 * undefined after an abort, without waiting for `body`, whose further writes throw the signal's reason. With a signal that
 * is aborted already, the prompt is logged and `body` is not called.
 *
 * Rejects with what `body` throws, which becomes the reason of the turn's end; with `TURN_OPEN` when the session is inside
 * a turn, and `INVALID_EVENT` when the prompt is no user message or it is called from inside the session's own
 * `session/event` (then nothing is written); with what `Session.append`
 * throws when the session is not live (any more).
 */
export async function runTurn<R>(
  session: Session,
  prompt: UserMessage,
  body: (turn: TurnWriter) => R | Promise<R>,
  options: RunTurnOptions = {},
): Promise<R | undefined> {
  const { signal } = options
  const { open, next } = session.turn
  if (open !== undefined) {
    const message = `turn ${open} of the session is open; wait for its end, or stop it`
    throw new SessionStoreError('TURN_OPEN', message, { sessionId: session.id })
  }
  const admitted = admitAppend({ type: 'user/message', data: prompt, intent: APPEND }, 0, 0, NO_TYPES)
  if ('reason' in admitted) throw new SessionStoreError('INVALID_EVENT', admitted.reason, { sessionId: session.id })

  session.append('turn/start', { turn: next })
  const writer = new TurnWriter(session, next, signal)
  try {
    session.append('user/message', prompt, APPEND)
    const value = signal?.aborted === true ? undefined : await unlessAborted(body(writer), signal)
    writer.end()
    return signal?.aborted === true ? undefined : value
  } catch (error) {
    if (signal?.aborted === true) {
      endAnyhow(session, writer, { kind: 'aborted', reason: { kind: 'user' } })
      return undefined
    }
    endAnyhow(session, writer, { kind: 'error', error: toFailure(error) })
    throw error
  }
}

/** Ends a turn though something stands in the way, such as an answer that is too large for one event. */
function endAnyhow(session: Session, writer: TurnWriter, reason: TurnEndReason): void {
  try {
    writer.end(reason)
  } catch {
    // Released, overtaken or deleted: there is no log to write to any more. Nor is there need to, if others ended the turn.
    if (session.state !== 'live' || session.turn.open !== writer.turn) return
    for (const closer of interruptedTurnClosers(session.events)) {
      if (closer.type === 'tool/result') session.append(closer.type, closer.data, closer)
      else if (closer.type === 'step/end') session.append(closer.type, closer.data)
    }
    session.append('turn/end', { turn: writer.turn, reason })
  }
}

/** Rejects when the signal is aborted first. */
function unlessAborted<R>(running: R | Promise<R>, signal: AbortSignal | undefined): Promise<R> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason)
    // It may be aborted by what the body did before it first waited.
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort, { once: true })
    Promise.resolve(running)
      .finally(() => signal?.removeEventListener('abort', abort))
      .then(resolve, reject)
  })
}
