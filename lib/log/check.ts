/** What an event must look like, whatever brings it: append, seed or file (`spec` 1.4, rules 2 to 5). */
import { isChunkRow } from './chunks.js'
import { REMOVED_TYPES } from './vocabulary.js'

type Fields = Record<string, unknown>

/** Levels of nesting in an event's data. */
export const MAX_DEPTH = 500
/** An event's size as JSON. */
export const MAX_EVENT_BYTES = 32 * 1024 * 1024

const ENVELOPE_KEYS = new Set(['type', 'seq', 'time', 'data', 'ignorable', 'sourceEventSeqs', 'surfaceOp'])

/** What is wrong with an event's envelope and shape, or undefined. Surface rules are `Surface`'s. */
export function eventProblem(event: unknown): string | undefined {
  if (!isFields(event)) return 'an event must be an object'
  return envelopeProblem(event) ?? foremostProblem(event) ?? dataProblem(event)
}

/**
 * The part of it that DSH looks for in a whole log before it asks whether every type is known: what is obsolete, and
 * messages. Source: `spec` 6.3.
 */
export function foremostProblem({ type, data }: { type?: unknown; data?: unknown }): string | undefined {
  if (typeof type === 'string' && REMOVED_TYPES.has(type)) return `'${type}' is an obsolete event type`
  switch (type) {
    case 'request/header':
      return isFields(data) && data['reason'] === 'fallback' ? "reason 'fallback' is obsolete" : undefined
    case 'user/message':
      return messageProblem(data, 'user')
    case 'assistant/message':
      return withMessage(data, (message) => messageProblem(message, 'assistant') ?? modelSourceProblem(message))
    case 'tool/result':
      return withMessage(data, (message) => messageProblem(message, 'user') ?? toolResultProblem(message))
    default:
      return undefined
  }
}

function envelopeProblem(event: Fields): string | undefined {
  const { type, seq, time, data, ignorable } = event
  // As a line of a file it would be read as a row, and a malformed one.
  if (isChunkRow(event)) return `'${String(type)}' is the type of a chunk row, no event type`
  for (const key of Object.keys(event)) {
    if (!ENVELOPE_KEYS.has(key)) return `'${key.slice(0, 40)}' is no field of an event`
  }
  if (typeof type !== 'string') return 'type must be a string'
  if (!Number.isSafeInteger(seq) || (seq as number) < 0) return 'seq must be a safe integer ≥ 0'
  if (!Number.isSafeInteger(time)) return 'time must be a safe integer (ms)'
  if (data === undefined) return 'data is missing'
  if (ignorable !== undefined && ignorable !== true) return 'ignorable must be true or absent'
  return undefined
}

/** Everything else in `data` belongs to its owner. */
function dataProblem({ type, data }: Fields): string | undefined {
  return type === 'request/header' ? requestHeaderProblem(data) : undefined
}

function requestHeaderProblem(data: unknown): string | undefined {
  const header = isFields(data) ? data['header'] : undefined
  if (!isFields(header)) return 'data.header must be an object'
  const config = header['config']
  if (!isFields(config)) return 'header.config must be an object'
  if (!isName(config['provider'])) return 'config.provider must be a non-empty string'
  if (!isName(config['model'])) return 'config.model must be a non-empty string'
  if (config['reasoningEffort'] !== undefined && !isName(config['reasoningEffort'])) {
    return 'config.reasoningEffort must be a non-empty string or absent'
  }
  const defaults = header['adapterDefaults']
  if (defaults !== undefined) {
    if (!isFields(defaults)) return 'header.adapterDefaults must be an object or absent'
    for (const [key, marker] of Object.entries(defaults)) {
      if (key !== 'reasoningEffort' && key !== 'maxTokens') return `adapterDefaults knows no '${key.slice(0, 40)}'`
      if (marker !== true) return `adapterDefaults.${key} must be true or absent`
      if (config[key] === undefined) return `adapterDefaults.${key} marks a field that config does not have`
    }
  }
  return undefined
}

function withMessage(data: unknown, check: (message: Fields) => string | undefined): string | undefined {
  const message = isFields(data) ? data['message'] : undefined
  return isFields(message) ? check(message) : 'data.message must be an object'
}

function messageProblem(message: unknown, role: string): string | undefined {
  if (!isFields(message)) return 'a message must be an object'
  if (!isName(message['id'])) return 'message.id must be a non-empty string'
  if (message['role'] !== role) return `message.role must be '${role}'`
  if (!isFields(message['source']) || !isName(message['source']['kind'])) {
    return 'message.source.kind must be a non-empty string'
  }
  return Array.isArray(message['content']) ? undefined : 'message.content must be an array'
}

function modelSourceProblem(message: Fields): string | undefined {
  const source = message['source'] as Fields
  if (source['kind'] !== 'model') return "message.source.kind must be 'model'"
  if (!isName(source['provider'])) return 'message.source.provider must be a non-empty string'
  return isName(source['model']) ? undefined : 'message.source.model must be a non-empty string'
}

function toolResultProblem(message: Fields): string | undefined {
  const source = message['source'] as Fields
  if (source['kind'] !== 'tool') return "message.source.kind must be 'tool'"
  if (!isName(source['callId'])) return 'message.source.callId must be a non-empty string'
  const content = message['content'] as unknown[]
  const block = content[0]
  if (content.length !== 1 || !isFields(block) || block['type'] !== 'tool-result') {
    return 'message.content must be exactly one tool-result block'
  }
  if (!Array.isArray(block['content'])) return 'the content of a tool-result block must be an array'
  return block['toolCallId'] === source['callId'] ? undefined : 'toolCallId and source.callId must be the same'
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
