/** Why a turn failed, as its `turn/end` keeps it. */
import type { LlmFailure } from '../log/message.js'

/** A page of HTML that a proxy answered with is no message; UTF-16 units. */
const MAX_MESSAGE = 10_000

/**
 * What was thrown, whatever it is, with what caused it: clients say no more than 'fetch failed' themselves. The code is the
 * error's own `code`, or its cause's, else its class's name; `status` is an HTTP status, by the names that clients of
 * model APIs give it. `runTurn` does this itself; for tools, it makes `error` and text of what they threw.
 */
export function toFailure(thrown: unknown): LlmFailure {
  const cause = read(thrown, 'cause')
  const code = [read(thrown, 'code'), read(cause, 'code'), read(thrown, 'name')].find(
    (name) => isText(name) && name !== 'Error',
  )
  const status = [read(thrown, 'status'), read(thrown, 'statusCode')].find(Number.isSafeInteger)
  const messages = [read(thrown, 'message') ?? thrown, read(cause, 'message')]
  return {
    message: messages
      .filter((message, i) => i === 0 || isText(message))
      .map(say)
      .join(': ')
      .slice(0, MAX_MESSAGE),
    code: (code as string | undefined) ?? 'UNKNOWN',
    ...(status !== undefined && { status: status as number }),
  }
}

function say(message: unknown): string {
  if (isText(message)) return message
  try {
    // Objects as JSON; what has none, such as a symbol, as what it is called.
    return JSON.stringify(message) ?? String(message)
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
