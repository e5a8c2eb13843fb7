/**
 * Shapes that DSH wrote before format version 0 settled; its readers, and imports here, bring them up to date (`spec` 6.8).
 * What is neither old nor present is refused there, so that nothing here may write it either: the data of a `turn/end` above all.
 */
import type { SessionEvent } from './event.js'
import { isTurnNumber } from './turns.js'

type Fields = Record<string, unknown>

/**
 * An event in its present shape: the same object when it has it already, a string that says what is wrong when it has
 * neither that nor an old one.
 * @param session id of the session; it becomes part of the ids that old messages lack
 * @param messageIdOf the id of an earlier tool result's message, which its replacement inherits
 */
export function upgradeLegacy(
  event: SessionEvent,
  session: string,
  messageIdOf: (seq: number) => string | undefined,
): SessionEvent | string {
  const { type, data, seq } = event as unknown as { type: unknown; data: unknown; seq: number }
  if (!isFields(data)) return event
  const id = `legacy-message:${session}:${seq}`
  switch (type) {
    case 'turn/start':
      return 'trigger' in data ? turnStart(event, data) : event
    case 'turn/end':
      return turnEnd(event, data)
    case 'steering/message':
      return steering(event, data, id)
    case 'user/message':
      return userMessage(event, data, id)
    case 'assistant/message':
      return 'message' in data || !isFields(data['provenance']) ? event : assistant(event, data, id)
    case 'tool/result':
      return 'message' in data || !('callId' in data && 'content' in data && 'isError' in data)
        ? event
        : toolResult(event, data, id, messageIdOf)
    default:
      return event
  }
}

function turnStart(event: SessionEvent, data: Fields): SessionEvent | string {
  const { turn, trigger, ...rest } = data
  const kind = isFields(trigger) ? trigger['kind'] : undefined
  const known = typeof kind === 'string' && kind !== '' && isTurnNumber(turn)
  return known && isEmpty(rest) ? withData(event, { turn }) : 'a malformed turn/start of an old version'
}

/** Its data is a turn's number and a reason, and nothing else; what is no object says nothing, which is allowed. */
function turnEnd(event: SessionEvent, data: Fields): SessionEvent | string {
  const { turn, reason, ...rest } = data
  if (!isTurnNumber(turn)) return 'the turn of a turn/end must be an integer ≥ 1'
  if (!isFields(reason) || typeof reason['kind'] !== 'string') return 'the reason of a turn/end must have a kind'
  if (!isEmpty(rest)) return 'a turn/end holds its turn and its reason, nothing more'
  const present = presentReason(reason)
  if (typeof present === 'string') return present
  return present === reason ? event : withData(event, { ...data, reason: present })
}

function presentReason(reason: Fields): Fields | string {
  const { kind, ...rest } = reason
  switch (kind) {
    case 'completed':
    case 'blocked':
    case 'max-tokens':
    case 'interrupted':
      return isEmpty(rest) ? reason : `the reason '${kind}' of a turn/end holds its kind, nothing more`
    case 'aborted':
      if ('reason' in rest) return reason
      return isEmpty(rest)
        ? { kind, reason: { kind: 'legacy' } }
        : "the reason 'aborted' of a turn/end lacks its reason"
    case 'disposed':
      return isEmpty(rest) ? { kind: 'aborted', reason: { kind } } : "a malformed reason 'disposed' of an old version"
    case 'error':
      if ('error' in rest) return reason
      return presentError(rest) ?? "the reason 'error' of a turn/end lacks its error"
    default:
      // An application's own kind holds what it likes.
      return reason
  }
}

function presentError({ step, failure, message, code, ...rest }: Fields): Fields | undefined {
  if (!isNumber(step, 0) || !isEmpty(rest)) return undefined
  if (failure !== undefined) {
    const isAll = message === undefined && code === undefined
    return isAll && isFailure(failure) ? { kind: 'error', error: failure } : undefined
  }
  const isCode = code === undefined || typeof code === 'string'
  return typeof message === 'string' && isCode
    ? { kind: 'error', error: { message, code: code ?? 'UNKNOWN' } }
    : undefined
}

function isFailure(value: unknown): boolean {
  if (!isFields(value)) return false
  const { message, code, status = 0, providerRetryAfterMs = 0, requestId = '', ...rest } = value
  const texts = [message, code, requestId].every((field) => typeof field === 'string')
  return texts && typeof status === 'number' && typeof providerRetryAfterMs === 'number' && isEmpty(rest)
}

function userMessage(event: SessionEvent, data: Fields, id: string): SessionEvent {
  return 'id' in data || 'role' in data || 'message' in data || !isFields(data['source'])
    ? event
    : withData(event, { ...data, id, role: 'user' })
}

function steering(event: SessionEvent, data: Fields, id: string): SessionEvent | string {
  const { turn, ...said } = data
  const { message, content, source, ...rest } = said
  const isFlat = message === undefined && Array.isArray(content) && isFields(source)
  const isWrapped = isFields(message) && content === undefined && source === undefined
  if (!isNumber(turn) || !isEmpty(rest) || (!isFlat && !isWrapped))
    return 'a malformed steering/message of an old version'
  const present = isWrapped ? message : said
  return userMessage({ ...withData(event, present), type: 'user/message' } as SessionEvent, present, id)
}

function assistant(event: SessionEvent, data: Fields, id: string): SessionEvent {
  const { content, provenance, ...rest } = data
  const source = { ...(provenance as Fields), kind: 'model' }
  return withData(event, { ...rest, message: { id, role: 'assistant', content, source } })
}

function toolResult(
  event: SessionEvent,
  data: Fields,
  ownId: string,
  messageIdOf: (seq: number) => string | undefined,
): SessionEvent {
  const { callId, content, isError, ...rest } = data
  const op: unknown = (event as { surfaceOp?: unknown }).surfaceOp
  const target = isFields(op) ? messageIdOf(op['start'] as number) : undefined
  const block = { type: 'tool-result', toolCallId: callId, content, isError }
  const message = { id: target ?? ownId, role: 'user', content: [block], source: { kind: 'tool', callId } }
  return withData(event, { ...rest, message })
}

/** The event with other data, its keys in their order. */
function withData(event: SessionEvent, data: Fields): SessionEvent {
  return { ...event, data } as unknown as SessionEvent
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNumber(value: unknown, from = -Infinity): boolean {
  return Number.isSafeInteger(value) && (value as number) >= from
}

function isEmpty(rest: Fields): boolean {
  return Object.keys(rest).length === 0
}
