/** Short ways to say operations and events. */
import { T0 } from '../values.mjs'

/**
 * @typedef {{ name: string, refusal?: string, steps: Step[] }} Case `refusal`: the code of a plain refusal here
 * @typedef {{ op: object, differs?: { because: string, gives: object } }} Step
 */

export { T0 }

/** Differs on purpose: the key of the sentence in `differs.mjs`, and what this library answers. */
export const differs = (op, because, gives) => ({ op, differs: { because, gives } })
export const refused = (code) => ({ error: { name: 'SessionStoreError', code } })

export const $ = (name) => ({ $: name })
export const APPEND = { surfaceOp: 'append' }

export const create = (id, options = {}) => ({ do: 'create', id, ...options })
export const append = (id, [type, data, intent]) => ({
  do: 'append',
  id,
  type,
  data,
  ...(intent !== undefined && { intent }),
})
export const fork = (source, child, boundary, by) => ({
  do: 'fork',
  source,
  child,
  ...(boundary !== undefined && { boundary }),
  ...(by !== undefined && { by }),
})
export const read = (id) => ({ do: 'read', id })
export const clock = (now) => ({ do: 'clock', now })

/** An event without its place: type, data, surface intent. */
export const start = (turn) => ['turn/start', { turn }]
export const end = (turn, reason = { kind: 'completed' }) => ['turn/end', { turn, reason }]
export const stepStart = (turn, step) => ['step/start', { turn, step }]
export const stepEnd = (turn, step) => ['step/end', { turn, step }]
export const text = (text) => ({ type: 'text', text })
export const callBlock = (id) => ({ type: 'tool-call', id, name: 'ls', arguments: '{}' })

export const userMessage = (id, more = {}) => ({
  id,
  role: 'user',
  content: [text(id)],
  source: { kind: 'user' },
  ...more,
})
export const user = (id, intent = APPEND) => ['user/message', userMessage(id), intent]
export const assistantMessage = (id, content = [text(id)], more = {}) => ({
  id,
  role: 'assistant',
  content,
  source: { kind: 'model', provider: 'p', model: 'm' },
  ...more,
})
export const assistant = (id, content, intent = APPEND) => [
  'assistant/message',
  { turn: 1, step: 1, message: assistantMessage(id, content) },
  intent,
]
export const call = (callId) => ['tool/call', { turn: 1, step: 1, callId, name: 'ls', arguments: '{}' }]
export const resultMessage = (id, callId, output = 'done', block = {}) => ({
  id,
  role: 'user',
  source: { kind: 'tool', callId },
  content: [{ type: 'tool-result', toolCallId: callId, content: [text(output)], ...block }],
})
export const result = (id, callId, output, intent = APPEND, more = {}, block = {}) => [
  'tool/result',
  { turn: 1, step: 1, message: resultMessage(id, callId, output, block), ...more },
  intent,
]
export const title = (title) => ['session/title', { title, messageSeqs: [], source: { kind: 'user' } }]
export const endSeed = ['session/end-seed', {}]
export const chunk = (chunk) => ['assistant/chunk', { turn: 1, step: 1, chunk }]
export const delta = (text, index = 0) => chunk({ type: 'text-delta', index, text })
export const requestHeader = (header = {}, reason = 'initial') => [
  'request/header',
  { header: { config: { provider: 'p', model: 'm' }, ...header }, reason },
]
export const replace = (start, end, sourceEventSeqs = [start]) => ({
  surfaceOp: { op: 'replace', start, end },
  sourceEventSeqs,
})
export const turn = (n) => [start(n), user(`u${n}`), end(n)]

/** Gives events their place: seqs from 0, 10 ms apart. */
export const log = (...drafts) =>
  drafts.map(([type, data, intent], seq) => eventOf(seq, type, data, { time: T0 + seq * 10, ...intent }))

export function eventOf(seq, type, data, { time = 1, sourceEventSeqs, surfaceOp, ...more } = {}) {
  return {
    type,
    seq,
    time,
    data,
    ...(sourceEventSeqs !== undefined && { sourceEventSeqs }),
    ...(surfaceOp !== undefined && { surfaceOp }),
    ...more,
  }
}
