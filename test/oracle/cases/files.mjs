/** Session files: header, lines, torn tails, old shapes (`spec` 7.2, 7.4, 6.7, 6.8). */
import {
  APPEND,
  assistantMessage,
  differs,
  end,
  endSeed,
  eventOf,
  log,
  refused,
  replace,
  requestHeader,
} from './drafts.mjs'
import { start, title, turn, user, userMessage } from './drafts.mjs'

const head = (more = {}) =>
  JSON.stringify({ type: 'session', version: 0, id: 's', createdAt: 1, delegationDepth: 0, ...more })
const line = (...draft) => JSON.stringify(eventOf(...draft))
const fileOf = (...lines) => `${lines.join('\n')}\n`
const events = (...drafts) => log(...drafts).map((event) => JSON.stringify(event))
const done = events(start(1), end(1))
const open = line(2, ...start(2))
const row = (more = {}, data = {}) =>
  JSON.stringify({
    type: 'text-chunks',
    seq0: 2,
    time0: 10,
    data: { turn: 1, step: 1, index: 0, dt: [1, -2], texts: ['a', '', 'b'], ...data },
    ...more,
  })

const texts = {
  'a finished turn': fileOf(head(), ...done),
  'an open turn': fileOf(head(), ...done, open),
  'only a header': fileOf(head()),
  'a fork': fileOf(head({ cwd: '/w', parentSession: 'p', seedLength: 2 }), ...done, line(2, ...endSeed)),
  'a prompt': fileOf(head(), ...events(...turn(1), title('t'))),
  'a chunk row': fileOf(head(), ...done, row()),
  'a chunk row and its turn': fileOf(head(), ...done, row(), line(5, ...end(1))),
  'a chunk row of one': fileOf(head(), ...done, row({}, { dt: [], texts: ['a'] })),
  'chunks that are not packed': fileOf(
    head(),
    ...[0, 1, 2].map((seq) =>
      line(seq, 'assistant/chunk', { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'a' } }),
    ),
  ),
  'lines that end as on Windows': `${[head(), ...done].join('\r\n')}\r\n`,
  'escapes and other planes': fileOf(head(), line(0, ...title('é😀\u2028\ud800"\\\n'))),
  'a number as the text says it': fileOf(head(), '{"type":"turn/start","seq":0e0,"time":1.0,"data":{"turn":1e0}}'),
  'a key twice': fileOf(head(), '{"type":"turn/end","seq":0,"time":1,"data":{"turn":1},"type":"turn/start"}'),
  'a key __proto__': fileOf(head(), '{"type":"turn/start","seq":0,"time":1,"data":{"turn":1,"__proto__":{"a":1}}}'),
  'white space around a line': fileOf(head(), ` ${done[0]} `, `\t${done[1]}`),

  'no newline at the end': [head(), ...done].join('\n'),
  'half a line': `${fileOf(head(), ...done)}{"type":"turn/st`,
  'a whole line without its newline': `${fileOf(head(), ...done)}${open}`,
  'a bad last line': fileOf(head(), ...done, 'garbage'),
  'a bad line, then events': fileOf(head(), ...done, 'garbage', line(2, ...title('t'))),
  'a bad line, then a finished turn': fileOf(head(), done[0], 'garbage', done[1]),
  'a bad line, then a start': fileOf(head(), done[0], 'garbage', open),
  'a bad line, then a bad line with a turn/end in it': fileOf(head(), done[0], 'garbage', `${done[1]}}`),
  'a gap, then nothing': fileOf(head(), ...done, line(5, ...start(2))),
  'a gap at a turn/end': fileOf(head(), done[0], line(5, ...end(1))),
  'a gap, then a finished turn': fileOf(head(), done[0], line(5, ...title('t')), line(6, ...end(1))),
  'a seq twice': fileOf(head(), ...done, line(1, ...title('t'))),
  'a first seq that is not 0': fileOf(head(), line(1, ...start(1))),
  'a blank line at the end': fileOf(head(), ...done, ''),
  'a blank line in the middle': fileOf(head(), done[0], '', done[1]),
  'a blank line before an open turn': fileOf(head(), ...done, '', open),
  'a malformed row at the end': fileOf(head(), ...done, row({}, { dt: [1] })),
  'a malformed row, then a finished turn': fileOf(head(), done[0], row({ seq0: 1 }, { dt: [1] }), done[1]),
  'a row with a gap before it': fileOf(head(), ...done, row({ seq0: 9 })),
  'a number as line': fileOf(head(), ...done, '5'),
  'null as line': fileOf(head(), ...done, 'null'),
  'an array as line': fileOf(head(), ...done, '[]'),
  'two events on a line': fileOf(head(), done.join('')),

  'an empty file': '',
  'a header without its newline': head(),
  'a BOM': `\ufeff${fileOf(head(), ...done)}`,
  'no header': fileOf(...done),
  'a header that is no JSON': fileOf('{', ...done),
  'a header that is an array': fileOf('[]', ...done),
  'a header of another type': fileOf(head({ type: 'log' }), ...done),
  'a header without a version': fileOf(head({ version: undefined }), ...done),
  'version 1': fileOf(head({ version: 1 }), ...done),
  'version 1 with lines that nobody knows': fileOf(head({ version: 1 }), 'garbage', '{"v":1}'),
  'version -1': fileOf(head({ version: -1 }), ...done),
  'version 0.5': fileOf(head({ version: 0.5 }), ...done),
  'a version as text': fileOf(head({ version: '0' }), ...done),
  'no delegationDepth': fileOf(head({ delegationDepth: undefined }), ...done),
  'a negative delegationDepth': fileOf(head({ delegationDepth: -1 }), ...done),
  'a delegationDepth of -0': fileOf(head().replace('"delegationDepth":0', '"delegationDepth":-0'), ...done),
  'no createdAt': fileOf(head({ createdAt: undefined }), ...done),
  'a fractional createdAt': fileOf(head({ createdAt: 0.5 }), ...done),
  'an id that is a number': fileOf(head({ id: 5 }), ...done),
  'an unknown origin': fileOf(head({ origin: 'user' }), ...done),
  'a subagent': fileOf(head({ origin: 'subagent', delegationDepth: 2, agentPreset: 'a' }), ...done),
  'a preset that is a number': fileOf(head({ agentPreset: 4 }), ...done),
  'an unknown header key': fileOf(head({ more: 1 }), ...done),
  'a retired header key': fileOf(head({ sandboxMode: 'x' }), ...done),
  'another retired header key': fileOf(head({ approvalPolicy: 'ask' }), ...done),
  'a relative cwd': fileOf(head({ cwd: 'a' }), ...done),
  'a parent that is a number': fileOf(head({ parentSession: 4 }), ...done),
  'a seedLength as text': fileOf(head({ seedLength: '3' }), ...done),
  'a seedLength that is null': fileOf(head({ seedLength: null }), ...done),
  'a seedLength beyond the log': fileOf(head({ seedLength: 99 }), ...done),

  'an unknown type': fileOf(head(), line(0, 'alien/thing', {})),
  'an unknown type after a finished turn': fileOf(head(), ...done, line(2, 'alien/thing', {})),
  'an unknown type that is ignorable': fileOf(head(), line(0, 'alien/thing', { a: [1] }, { ignorable: true })),
  'an unknown ignorable type on the surface': fileOf(
    head(),
    line(0, 'alien/thing', {}, { ignorable: true, surfaceOp: 'append' }),
  ),
  'an unknown type that is not ignorable by false': fileOf(head(), line(0, 'alien/thing', {}, { ignorable: false })),
  'an unknown type with an unknown envelope key': fileOf(head(), line(0, 'alien/thing', {}, { more: 1 })),
  'a type that is a number': fileOf(head(), line(0, 7, {})),
  'no type': fileOf(head(), '{"seq":0,"time":1,"data":{}}'),
  'a bad event, then an unknown type': fileOf(head(), line(0, ...start(1), { more: 1 }), line(1, 'alien/thing', {})),
  'a known type that is ignorable': fileOf(head(), line(0, ...start(1), { ignorable: true }), done[1]),
  'ignorable false': fileOf(head(), line(0, ...start(1), { ignorable: false }), done[1]),
  'an unknown envelope key': fileOf(head(), line(0, ...start(1), { more: 1 }), done[1]),
  'no data': fileOf(head(), '{"type":"turn/start","seq":0,"time":1}', done[1]),
  'a fractional time': fileOf(head(), line(0, ...start(1), { time: 0.5 }), done[1]),
  'a number that overflows': fileOf(head(), '{"type":"turn/start","seq":0,"time":1,"data":{"turn":1e999}}', done[1]),
  'a -0': fileOf(head(), '{"type":"turn/start","seq":0,"time":1,"data":{"turn":-0}}', done[1]),
  'a message without surfaceOp': fileOf(head(), line(0, 'user/message', userMessage('u'))),
  'a message without an id, but with a role': fileOf(
    head(),
    line(0, 'user/message', { role: 'user', content: [], source: { kind: 'user' } }, APPEND),
  ),
  'a source that is not earlier': fileOf(
    head(),
    line(0, 'user/message', userMessage('u'), { surfaceOp: 'append', sourceEventSeqs: [4] }),
  ),
  'a replacement': fileOf(head(), ...events(...turn(1), ['user/message', userMessage('sum'), replace(1, 1)])),
  'a replacement of nothing': fileOf(
    head(),
    ...events(...turn(1), ['user/message', userMessage('sum'), replace(0, 0)]),
  ),
  'a turn/end with null as data': fileOf(head(), ...events(start(1), ['turn/end', null])),
  'a request header': fileOf(head(), line(0, ...requestHeader({ system: '' }))),
  'a request header without a provider': fileOf(head(), line(0, ...requestHeader({ config: { model: 'm' } }))),
  'a message of a turn that a crash left open': fileOf(head(), ...events(start(1), user('u'))),
}

/** DSH refuses these turn/ends when it reads them; live it takes them, and so does everything here. */
const badEnds = {
  'no turn': { reason: { kind: 'completed' } },
  'turn 0': { turn: 0, reason: { kind: 'completed' } },
  'a turn as text': { turn: '1', reason: { kind: 'completed' } },
  'no reason': { turn: 1 },
  'a reason that is text': { turn: 1, reason: 'completed' },
  'a reason without a kind': { turn: 1, reason: {} },
  'another key': { turn: 1, reason: { kind: 'completed' }, more: 1 },
  'another key in the reason': { turn: 1, reason: { kind: 'completed', more: 1 } },
}

const PROVENANCE = { provider: 'p', model: 'm' }
const old = (type, data, more) => fileOf(head(), line(0, type, data, more))
const ended = (reason, more = {}) =>
  fileOf(head(), line(0, ...start(1)), line(1, 'turn/end', { turn: 1, reason, ...more }))
const CALL = { turn: 1, step: 1, callId: 'c', content: [], isError: false }
const SAID = { content: [{ type: 'text', text: 'old' }], source: { kind: 'user' } }

const legacy = {
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

const bytes = {
  'bytes that are no UTF-8': Buffer.concat([Buffer.from(fileOf(head(), ...done)), Buffer.from([0xff, 0xfe, 10])]),
  'a header that is no UTF-8': Buffer.from([0xff, 10]),
  'text that is no UTF-8': Buffer.concat([
    Buffer.from(`${head()}\n{"type":"session/title","seq":0,"time":1,"data":{"title":"`),
    Buffer.from([0xff]),
    Buffer.from('"}}\n'),
  ]),
}

const TORN = 'dropped?: { line: number; reason: string } }   // dropped: a torn tail, by the rule of spec.md 7.4'
const SHAPES = 'Shapes of events, messages and headers: `spec.md` 1 and 2.'
const AGAIN = 'What `append` accepts can be loaded again and forked at every fork point, always.'

const HEADER = { version: 0, id: 's', createdAt: 1, delegationDepth: 0 }
const doneEvents = log(start(1), end(1))
const INVALID = refused('INVALID_LOG')

/** What is read otherwise here, and why. */
const otherwise = {
  // The first line that does not continue the log ends it; DSH looks for the seq of null.
  'null as line': [TORN, { value: { header: HEADER, events: doneEvents, dropped: 4 } }],
  // Bytes that are no UTF-8 are no JSON; DSH puts U+FFFD in their place.
  'text that is no UTF-8': [TORN, { value: { header: HEADER, events: [], dropped: 2 } }],
  // `data` is a lossless JSON value (spec.md 1.3). DSH keeps what it then can neither write nor fork.
  'a number that overflows': [SHAPES, INVALID],
  'a -0': [SHAPES, INVALID],
  // An import is a stream: the first line that is wrong decides.
  'a bad event, then an unknown type': ['`INVALID_LOG` | import; `line` is the 1-based line', INVALID],
  ...Object.fromEntries(
    Object.entries(badEnds).map(([name, data]) => {
      const events = log(start(1), ['turn/end', data])
      return [`a turn/end with ${name}`, [AGAIN, { value: { header: HEADER, events } }]]
    }),
  ),
}
const ends = Object.fromEntries(
  Object.entries(badEnds).map(([name, data]) => [
    `a turn/end with ${name}`,
    fileOf(head(), ...events(start(1), ['turn/end', data])),
  ]),
)

const reading = (name, file) => {
  const op = { do: 'readFile', ...file }
  const step = name in otherwise ? differs(op, ...otherwise[name]) : { op }
  return { name, refusal: 'INVALID_LOG', steps: [step] }
}

export default [
  ...Object.entries({ ...texts, ...ends }).map(([name, text]) => reading(name, { text })),
  ...Object.entries(legacy).map(([name, text]) => reading(`old: ${name}`, { text })),
  ...Object.entries(bytes).map(([name, buffer]) => reading(name, { base64: buffer.toString('base64') })),
]
