/** Session files: header, lines, torn tails, what is refused first (`spec` 7.2, 7.4, 6.7). */
import { APPEND, differs, end, endSeed, log, refused, replace, requestHeader } from './drafts.mjs'
import { start, T0, title, turn, user, userMessage } from './drafts.mjs'
import { refusedEnds, takenEnds } from './ends.mjs'
import { events, fileOf, head, line } from './lines.mjs'
import { oldFiles } from './old.mjs'

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

const nested = (levels) => `{"type":"todo/write","seq":0,"time":1,"data":${'['.repeat(levels)}${']'.repeat(levels)}}`

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
  'a known type that is ignorable': fileOf(head(), line(0, ...start(1), { ignorable: true }), done[1]),
  'ignorable false': fileOf(head(), line(0, ...start(1), { ignorable: false }), done[1]),
  'an unknown envelope key': fileOf(head(), line(0, ...start(1), { more: 1 }), done[1]),
  'no data': fileOf(head(), '{"type":"turn/start","seq":0,"time":1}', done[1]),
  'a fractional time': fileOf(head(), line(0, ...start(1), { time: 0.5 }), done[1]),
  'a number that overflows': fileOf(head(), '{"type":"turn/start","seq":0,"time":1,"data":{"turn":1e999}}', done[1]),
  'a -0': fileOf(head(), '{"type":"turn/start","seq":0,"time":1,"data":{"turn":-0}}', done[1]),
  '500 levels of nesting': fileOf(head(), nested(500)),
  '501 levels of nesting': fileOf(head(), nested(501)),
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
  'a request header': fileOf(head(), line(0, ...requestHeader({ system: '' }))),
  'a request header without a provider': fileOf(head(), line(0, ...requestHeader({ config: { model: 'm' } }))),
  'a message of a turn that a crash left open': fileOf(head(), ...events(start(1), user('u'))),
  'an open turn without a number': fileOf(head(), ...events(['turn/start', {}])),
}

/** What is wrong with a log twice: DSH looks for one kind of problem after another. */
const unknown = (seq) => line(seq, 'alien/thing', {})
const twice = {
  'a bad event, then an unknown type': fileOf(head(), line(0, ...start(1), { more: 1 }), unknown(1)),
  'a request header without a provider, then an unknown type': fileOf(
    head(),
    line(0, ...requestHeader({ config: { model: 'm' } })),
    unknown(1),
  ),
  'a source that is not earlier, then an unknown type': fileOf(
    head(),
    line(0, 'user/message', userMessage('u'), { surfaceOp: 'append', sourceEventSeqs: [4] }),
    unknown(1),
  ),
  'an unknown type, then a bad event': fileOf(head(), unknown(0), line(1, ...start(1), { more: 1 })),
  'an unknown type, then a message without an id': fileOf(
    head(),
    unknown(0),
    line(1, 'user/message', { ...userMessage('u'), id: undefined }, APPEND),
  ),
  'an unknown type, then an obsolete one': fileOf(head(), unknown(0), line(1, 'mode/set', {})),
  'an unknown type, then a header for a fallback': fileOf(
    head(),
    unknown(0),
    line(1, ...requestHeader({}, 'fallback')),
  ),
  'an unknown type, then a turn/end without a turn': fileOf(
    head(),
    unknown(0),
    line(1, 'turn/end', { reason: { kind: 'completed' } }),
  ),
  'an unknown type, then damage in the middle': fileOf(head(), unknown(0), 'garbage', line(1, ...end(1))),
  'an unknown type, then a torn tail': fileOf(head(), unknown(0), 'garbage', line(1, ...start(1))),
  'an unknown type in a torn tail': fileOf(head(), ...done, 'garbage', unknown(2)),
  'a bad event, then damage in the middle': fileOf(
    head(),
    line(0, ...start(1), { more: 1 }),
    'garbage',
    line(1, ...end(1)),
  ),
}

/** An end after its start. */
const ends = Object.fromEntries(
  Object.entries({ ...takenEnds, ...refusedEnds }).map(([name, data]) => [
    `a turn/end with ${name}`,
    fileOf(head(), ...events(start(1), ['turn/end', data])),
  ]),
)

const bytes = {
  'bytes that are no UTF-8': Buffer.concat([Buffer.from(fileOf(head(), ...done)), Buffer.from([0xff, 0xfe, 10])]),
  'a header that is no UTF-8': Buffer.from([0xff, 10]),
  'text that is no UTF-8': Buffer.concat([
    Buffer.from(`${head()}\n{"type":"session/title","seq":0,"time":1,"data":{"title":"`),
    Buffer.from([0xff]),
    Buffer.from('"}}\n'),
  ]),
}

const HEADER = { version: 0, id: 's', createdAt: 1, delegationDepth: 0 }
const atOnce = (event) => ({ ...event, time: T0 })
const doneEvents = log(start(1), end(1))
const INVALID = refused('INVALID_LOG')

/** What is read otherwise here: the key of the sentence, and what this library answers. */
const otherwise = {
  // The first line that does not continue the log ends it; DSH looks for the seq of null.
  'null as line': ['torn tail', { value: { header: HEADER, events: doneEvents, dropped: 4 } }],
  // Bytes that are no UTF-8 are no JSON; DSH puts U+FFFD in their place.
  'text that is no UTF-8': ['torn tail', { value: { header: HEADER, events: [], dropped: 2 } }],
  // DSH keeps what it then can neither write nor fork.
  'a number that overflows': ['limits of events', INVALID],
  '501 levels of nesting': ['limits of events', INVALID],
  'a -0': ['limits of events', INVALID],
  // DSH closes it with a turn/end that it then cannot read.
  'an open turn without a number': [
    'loaded again',
    { value: { header: HEADER, events: log(['turn/start', {}], end(1, { kind: 'interrupted' })).map(atOnce) } },
  ],
}

const reading = (name, file) => {
  const op = { do: 'readFile', ...file }
  const step = name in otherwise ? differs(op, ...otherwise[name]) : { op }
  return { name, refusal: 'INVALID_LOG', steps: [step] }
}

export default [
  ...Object.entries({ ...texts, ...twice, ...ends }).map(([name, text]) => reading(name, { text })),
  ...Object.entries(oldFiles).map(([name, text]) => reading(`old: ${name}`, { text })),
  ...Object.entries(bytes).map(([name, buffer]) => reading(name, { base64: buffer.toString('base64') })),
]
