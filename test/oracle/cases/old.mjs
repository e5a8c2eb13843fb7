/** Files with shapes of old versions: what they are read as, and what is malformed (`spec` 6.8). */
import { APPEND, assistantMessage, replace, requestHeader, start, userMessage } from './drafts.mjs'
import { fileOf, head, line } from './lines.mjs'

const PROVENANCE = { provider: 'p', model: 'm' }
const old = (type, data, more) => fileOf(head(), line(0, type, data, more))
const ended = (reason, more = {}) =>
  fileOf(head(), line(0, ...start(1)), line(1, 'turn/end', { turn: 1, reason, ...more }))
const CALL = { turn: 1, step: 1, callId: 'c', content: [], isError: false }
const SAID = { content: [{ type: 'text', text: 'old' }], source: { kind: 'user' } }

export const oldFiles = {
  'the trigger of a turn': old('turn/start', { turn: 1, trigger: { kind: 'message' } }),
  'a trigger and another key': old('turn/start', { turn: 1, trigger: { kind: 'message' }, more: 1 }),
  'a trigger without a kind': old('turn/start', { turn: 1, trigger: {} }),
  'a trigger with an empty kind': old('turn/start', { turn: 1, trigger: { kind: '' } }),
  'a trigger of turn 0': old('turn/start', { turn: 0, trigger: { kind: 'message' } }),
  'a trigger that is null': old('turn/start', { turn: 1, trigger: null }),
  'aborted without a reason': ended({ kind: 'aborted' }),
  'aborted with another key': ended({ kind: 'aborted', more: 1 }),
  'aborted with a reason': ended({ kind: 'aborted', reason: { kind: 'user' } }),
  disposed: ended({ kind: 'disposed' }),
  'an old reason beside another key': ended({ kind: 'disposed' }, { more: 1 }),
  'an error with a failure': ended({ kind: 'error', step: 1, failure: { message: 'm', code: 'C', status: 500 } }),
  'an error with a message': ended({ kind: 'error', step: 1, message: 'm' }),
  'an error with a message and a code': ended({ kind: 'error', step: 1, message: 'm', code: 'C' }),
  'an error without a step': ended({ kind: 'error', message: 'm' }),
  'an error with nothing': ended({ kind: 'error', step: 1 }),
  'an error with both': ended({ kind: 'error', step: 1, message: 'm', failure: { message: 'm', code: 'C' } }),
  'an error with a negative step': ended({ kind: 'error', step: -1, message: 'm' }),
  'an error with another key': ended({ kind: 'error', step: 1, message: 'm', more: 1 }),
  'an error with another key in its failure': ended({
    kind: 'error',
    step: 1,
    failure: { message: 'm', code: 'C', more: 1 },
  }),
  'an error whose failure has text as status': ended({
    kind: 'error',
    step: 1,
    failure: { message: 'm', code: 'C', status: '5' },
  }),
  'an error whose message is no text': ended({ kind: 'error', step: 1, message: 5 }),
  'a reason of an application': ended({ kind: 'mine', more: 1 }),
  'an error as it is now': ended({ kind: 'error', error: { message: 'm', code: 'C' } }),
  steering: old('steering/message', { turn: 1, ...SAID }, APPEND),
  'steering with a message': old('steering/message', { turn: 1, message: SAID }, APPEND),
  'steering with a whole message': old('steering/message', { turn: 1, message: userMessage('u') }, APPEND),
  'steering with its keys in another order': old(
    'steering/message',
    { source: SAID.source, content: SAID.content, turn: 1 },
    APPEND,
  ),
  'steering with a message in a message': old(
    'steering/message',
    { turn: 1, message: { ...SAID, message: SAID } },
    APPEND,
  ),
  'steering with a message that has a role': old(
    'steering/message',
    { turn: 1, message: { ...SAID, role: 'user' } },
    APPEND,
  ),
  'an old reason before its turn': fileOf(
    head(),
    line(0, ...start(1)),
    line(1, 'turn/end', { reason: { kind: 'disposed' }, turn: 1 }),
  ),
  'steering with another key': old('steering/message', { turn: 1, ...SAID, more: 1 }, APPEND),
  'steering without a turn': old('steering/message', SAID, APPEND),
  'steering without a source': old('steering/message', { turn: 1, content: [] }, APPEND),
  'steering with a message and its content': old('steering/message', { turn: 1, ...SAID, message: SAID }, APPEND),
  'steering with null as data': old('steering/message', null, APPEND),
  'steering without surfaceOp': old('steering/message', { turn: 1, ...SAID }),
  'a user message without id and role': old('user/message', SAID, APPEND),
  'a user message with another key': old('user/message', { ...SAID, more: 1 }, APPEND),
  'a user message with a message in it': old('user/message', { ...SAID, message: SAID }, APPEND),
  'a user message without content': old('user/message', { source: { kind: 'user' } }, APPEND),
  'a user message without a source': old('user/message', { content: [] }, APPEND),
  'an assistant message': old('assistant/message', { turn: 1, step: 1, content: [], provenance: PROVENANCE }, APPEND),
  'an assistant message, interrupted': old(
    'assistant/message',
    {
      turn: 1,
      step: 1,
      content: [],
      provenance: PROVENANCE,
      interrupted: true,
      usage: { inputTokens: 1, outputTokens: 1 },
    },
    APPEND,
  ),
  'an assistant message without provenance': old('assistant/message', { turn: 1, step: 1, content: [] }, APPEND),
  'an assistant message with an empty provenance': old(
    'assistant/message',
    { turn: 1, step: 1, content: [], provenance: {} },
    APPEND,
  ),
  'an assistant message with both': old(
    'assistant/message',
    { turn: 1, step: 1, message: assistantMessage('a'), provenance: PROVENANCE },
    APPEND,
  ),
  'a tool result': old('tool/result', CALL, APPEND),
  'a tool result with meta': old('tool/result', { ...CALL, meta: { a: 1 }, error: { name: 'E', code: 'E' } }, APPEND),
  'a tool result without isError': old('tool/result', { turn: 1, step: 1, callId: 'c', content: [] }, APPEND),
  'a tool result without a call id': old('tool/result', { turn: 1, step: 1, content: [], isError: false }, APPEND),
  'a tool result without content': old('tool/result', { turn: 1, step: 1, callId: 'c', isError: false }, APPEND),
  'a tool result with null as isError': old('tool/result', { ...CALL, isError: null }, APPEND),
  'a tool result that replaces another': fileOf(
    head(),
    line(0, 'tool/result', CALL, APPEND),
    line(1, 'tool/result', { ...CALL, content: [{ type: 'text', text: 'x' }] }, replace(0, 0)),
    line(2, 'tool/result', CALL, replace(1, 1)),
  ),
  'mode/set': old('mode/set', {}),
  'request/header-delta': old('request/header-delta', {}),
  'a request header for a fallback': fileOf(head(), line(0, ...requestHeader({}, 'fallback'))),
  'mode/set that is ignorable': old('mode/set', {}, { ignorable: true }),
}
