/** Why a turn failed, as its `turn/end` keeps it. */
import type { LlmFailure } from '../log/message.js'

/** A page of HTML that a proxy answered with is no message, and no code; UTF-16 units. */
const MAX_TEXT = 10_000

/**
 * What was thrown, whatever it is, with what caused it: clients say no more than 'fetch failed' themselves. The code is the
 * error's own `code`, or its cause's, else its class's name; `status` is an HTTP status, by the names that clients of
 * model APIs give it. `runTurn` does this itself; for tools, it makes `error` and text of what they threw.
 */
export function toFailure(thrown: unknown): LlmFailure {
  const cause = read(thrown, 'cause')
  const names = [read(thrown, 'code'), read(cause, 'code'), read(thrown, 'name')]
  const code = names.filter(isText).find((name) => name !== 'Error')
  const status = [read(thrown, 'status'), read(thrown, 'statusCode')].find(isStatus)
  const messages = [read(thrown, 'message'), read(cause, 'message')].filter(isText)
  const message = messages.length > 0 ? messages.join(': ') : say(thrown)
  return {
    message: message.slice(0, MAX_TEXT),
    code: code?.slice(0, MAX_TEXT) ?? 'UNKNOWN',
    ...(status !== undefined && { status }),
  }
}

/** What has no message itself. */
function say(thrown: unknown): string {
  if (thrown === '') return 'an error without a message'
  if (isText(thrown)) return thrown
  try {
    // Objects as JSON; an error, which has none, and what is none, such as a symbol, as what they are called.
    return thrown instanceof Error ? String(thrown) : (JSON.stringify(thrown) ?? String(thrown))
  } catch {
    return 'an error that cannot be shown'
  }
}

/** A getter of a strange error may throw. */
function read(thrown: unknown, field: string): unknown {
  try {
    return (thrown as Record<string, unknown> | null | undefined)?.[field] ?? undefined
  } catch {
    return undefined
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Not 0, which a failed `XMLHttpRequest` has. */
function isStatus(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
