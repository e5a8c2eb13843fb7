/** Shapes that DSH wrote before format version 0 settled; its readers, and imports here, bring them up to date (`spec` 6.8). */
import type { SessionEvent } from './event.js'

type Fields = Record<string, unknown>

/**
 * An event in its present shape: the same object when it has it already, a string that says what is wrong when it is
 * an old one but malformed.
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
      return 'id' in data || 'role' in data || 'message' in data || !isFields(data['source'])
        ? event
        : withData(event, { ...data, id, role: 'user' })
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
  const known = typeof kind === 'string' && kind !== '' && isNumber(turn, 1)
  return known && isEmpty(rest) ? withData(event, { turn }) : 'a malformed turn/start of an old version'
}

function turnEnd(event: SessionEvent, data: Fields): SessionEvent | string {
  const reason = data['reason']
  if (!isFields(reason)) return event
  const old =
    reason['kind'] === 'disposed' ||
    (reason['kind'] === 'aborted' && !('reason' in reason)) ||
    (reason['kind'] === 'error' && !('error' in reason))
  if (!old) return event
  const { turn, reason: _reason, ...rest } = data
  const present = presentReason(reason)
  if (present === undefined || !isEmpty(rest)) return 'a malformed turn/end of an old version'
  return withData(event, { turn, reason: present })
}

function presentReason(reason: Fields): Fields | undefined {
  const { kind, step, failure, message, code = 'UNKNOWN', ...rest } = reason
  if (kind !== 'error') {
    if (Object.keys(reason).length > 1) return undefined
    return { kind: 'aborted', reason: { kind: kind === 'aborted' ? 'legacy' : 'disposed' } }
  }
  if (!isNumber(step, 0) || !isEmpty(rest)) return undefined
  if (failure === undefined) {
    return typeof message === 'string' && typeof code === 'string' ? { kind, error: { message, code } } : undefined
  }
  return isFailure(failure) && message === undefined && !('code' in reason) ? { kind, error: failure } : undefined
}

function isFailure(value: unknown): boolean {
  if (!isFields(value)) return false
  const { message, code, status = 0, providerRetryAfterMs = 0, requestId = '', ...rest } = value
  const texts = [message, code, requestId].every((field) => typeof field === 'string')
  return texts && typeof status === 'number' && typeof providerRetryAfterMs === 'number' && isEmpty(rest)
}

function steering(event: SessionEvent, data: Fields, id: string): SessionEvent | string {
  const { turn, message, content, source, ...rest } = data
  const flat = message === undefined && Array.isArray(content) && isFields(source)
  const wrapped = isFields(message) && content === undefined && source === undefined
  if (!isNumber(turn) || !isEmpty(rest) || (!flat && !wrapped)) return 'a malformed steering/message of an old version'
  const said: Fields = wrapped ? message : { content, source }
  const present = 'id' in said || 'role' in said ? said : { ...said, id, role: 'user' }
  return { ...withData(event, present), type: 'user/message' } as SessionEvent
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
