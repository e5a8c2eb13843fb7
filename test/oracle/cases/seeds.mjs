/** What a seed may be, and the log that it makes (`spec` 1.4, 2.2). */
import {
  $,
  append,
  APPEND,
  assistant,
  assistantMessage,
  create,
  differs,
  end,
  endSeed,
  eventOf,
  log,
} from './drafts.mjs'
import { refused, replace, requestHeader, result, resultMessage, start, text, title, turn, user } from './drafts.mjs'
import { userMessage } from './drafts.mjs'
import { refusedEnds, takenEnds } from './ends.mjs'

const seeded = (name, seed) => ({ name, steps: [{ op: create('s', { seed }) }, { op: { do: 'list' } }] })
/** DSH takes it in memory; here it is refused, for the reason of this key. */
const otherwise = (name, seed, because) => ({
  name,
  steps: [differs(create('s', { seed }), because, refused('INVALID_EVENT'))],
})
const [started, ended] = log(start(1), end(1))
const withSecond = (change) => [started, { ...ended, ...change }]
const one = (type, data, more) => [eventOf(0, type, data, more)]
const without = (object, key) => Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
const said = (change) => one('user/message', { ...userMessage('u'), ...change }, APPEND)
const inMessage = (type, message) => one(type, { turn: 1, step: 1, message }, APPEND)
const model = (source) => inMessage('assistant/message', assistantMessage('a', [], { source }))
const resultOf = (change) => inMessage('tool/result', { ...resultMessage('r', 'c'), ...change })
const resultBlock = (block) => inMessage('tool/result', resultMessage('r', 'c', 'x', block))
const header = (header) => one(...requestHeader(header))

const seeds = {
  'an empty seed': [],
  'a finished turn': log(...turn(1)),
  'an open turn': log(start(1), user('u')),
  'a title after the turn': log(...turn(1), title('t')),
  'a marker at the end': log(...turn(1), endSeed),
  'only a marker': log(endSeed),
  'two markers': log(endSeed, endSeed),
  'a marker in the middle': log(endSeed, ...turn(1)),
  'a marker in an open turn': log(start(1), endSeed),
  'turns in no order': log(end(3), start(2), start(9)),
  'nonsense in a turn': log(['turn/start', { turn: 'x', more: 1 }], ['turn/end', null]),
  'a replacement': log(...turn(1), ['user/message', userMessage('sum'), replace(1, 1)]),

  'a negative time': withSecond({ time: -5 }),
  'a time that goes back': withSecond({ time: 1 }),
  'a fractional time': withSecond({ time: 1.5 }),
  'a time as text': withSecond({ time: '1' }),
  'a time beyond the safe integers': withSecond({ time: 2 ** 60 }),
  'no time': [without(started, 'time')],
  'a seq that is not 0': log(...turn(1)).slice(1),
  'the same seq twice': withSecond({ seq: 0 }),
  'a gap in seq': withSecond({ seq: 2 }),
  'a fractional seq': withSecond({ seq: 0.5 }),
  'a negative seq': withSecond({ seq: -1 }),
  'a seq of -0': [{ ...started, seq: $('-0') }],
  'no seq': [without(started, 'seq')],
  'no type': [without(started, 'type')],
  'a type that is no string': withSecond({ type: 7 }),
  'no data': [without(started, 'data')],
  'data that is null': [{ ...started, data: null }],
  'data that is a number': [{ ...started, data: 5 }],
  'data that is undefined': [{ ...started, data: $('undefined') }],
  'an extra key': withSecond({ extra: 1 }),
  'an extra key that is undefined': withSecond({ extra: $('undefined') }),
  'ignorable true': withSecond({ ignorable: true }),
  'ignorable false': withSecond({ ignorable: false }),
  'an unknown type that is ignorable': one('weird/new', { a: 1 }, { ignorable: true }),
  'an unknown ignorable type on the surface': one('weird/new', { a: 1 }, { ignorable: true, surfaceOp: 'append' }),
  'data that is no JSON': one('todo/write', { todos: $('Date') }),
  'keys in another order': [Object.fromEntries(Object.entries(started).reverse())],
  'a number as event': [5],
  'null as event': [null],
  'an array as event': [[]],
  'the second event is null': [started, null],
  'an obsolete type': one('request/header-delta', {}),
  'a request header': header({}),
  'a request header for a fallback': one(...requestHeader({}, 'fallback')),
  'a request header without a header': one('request/header', {}),
  'a request header without a provider': header({ config: { model: 'm' } }),
  'a request header with an empty provider': header({ config: { provider: '', model: 'm' } }),
  'a request header with an empty model': header({ config: { provider: 'p', model: '' } }),
  'a request header with an effort': header({ config: { provider: 'p', model: 'm', reasoningEffort: 'high' } }),
  'a request header with an empty effort': header({ config: { provider: 'p', model: 'm', reasoningEffort: '' } }),
  'a request header with an effort that is null': header({
    config: { provider: 'p', model: 'm', reasoningEffort: null },
  }),
  'defaults with an unknown key': header({ adapterDefaults: { foo: true } }),
  'defaults that mark what is not there': header({ adapterDefaults: { maxTokens: true } }),
  'defaults that mark what is there': header({
    config: { provider: 'p', model: 'm', maxTokens: 5 },
    adapterDefaults: { maxTokens: true },
  }),
  'defaults that are false': header({
    config: { provider: 'p', model: 'm', maxTokens: 5 },
    adapterDefaults: { maxTokens: false },
  }),
  'defaults that are null': header({ adapterDefaults: null }),
  'defaults that are an array': header({ adapterDefaults: [] }),
  'a config that is an array': header({ config: [] }),

  'a user message without an id': one('user/message', without(userMessage('u'), 'id'), APPEND),
  'a user message with an empty id': said({ id: '' }),
  'a user message with a number as id': said({ id: 1 }),
  'a user message of another role': said({ role: 'assistant' }),
  'a user message without a role': one('user/message', without(userMessage('u'), 'role'), APPEND),
  'a user message without a source': one('user/message', without(userMessage('u'), 'source'), APPEND),
  'a user message with an empty kind of source': said({ source: { kind: '' } }),
  'a user message with a source that is an array': said({ source: [] }),
  'a user message of a plugin': said({ source: { kind: 'plugin', plugin: 'a' } }),
  'a user message with text as content': said({ content: 'x' }),
  'a user message with no content': said({ content: [] }),
  'a user message with unknown blocks': said({ content: [{ type: 'alien' }, null, 5] }),
  'a user message with more fields': said({ more: 1 }),
  'a user message without surfaceOp': one('user/message', userMessage('u')),
  'a user message that is an array': one('user/message', [], APPEND),
  'an assistant message': log(assistant('a')),
  'an assistant message that is not wrapped': one('assistant/message', assistantMessage('a'), APPEND),
  'an assistant message of a user': model({ kind: 'user' }),
  'an assistant message without a provider': model({ kind: 'model', model: 'm' }),
  'an assistant message with an empty model': model({ kind: 'model', provider: 'p', model: '' }),
  'an assistant message with a replay state': model({ kind: 'model', provider: 'p', model: 'm', replayState: [1] }),
  'an assistant message of role user': inMessage('assistant/message', assistantMessage('a', [], { role: 'user' })),
  'an assistant message without turn and step': one('assistant/message', { message: assistantMessage('a') }, APPEND),
  'a tool result': log(result('r', 'c')),
  'a tool result of a user': resultOf({ source: { kind: 'user' } }),
  'a tool result without a call id': resultOf({ source: { kind: 'tool' } }),
  'a tool result with an empty call id': inMessage('tool/result', resultMessage('r', '')),
  'a tool result of no block': resultOf({ content: [] }),
  'a tool result of two blocks': resultOf({ content: [...resultMessage('r', 'c').content, text('a')] }),
  'a tool result of a text block': resultOf({ content: [text('a')] }),
  'a tool result with text as output': resultBlock({ content: 'x' }),
  'a tool result whose ids differ': resultBlock({ toolCallId: 'd' }),
  'a tool result with an error': log(
    result('r', 'c', 'x', APPEND, { error: { name: 'E', code: 'E' } }, { isError: true }),
  ),
  'a source that is not earlier': one('user/message', userMessage('u'), { surfaceOp: 'append', sourceEventSeqs: [0] }),
  'a surfaceOp out of place': one('turn/start', { turn: 1 }, APPEND),
}

export default [
  ...Object.entries(seeds).map(([name, seed]) => seeded(name, seed)),
  otherwise('an unknown type', one('weird/new', { a: 1 }), 'unknown types'),
  otherwise('the obsolete type mode/set', one('mode/set', {}), 'removed types'),
  otherwise('an obsolete type that is ignorable', one('steering/message', {}, { ignorable: true }), 'removed types'),
  ...Object.entries(takenEnds).map(([name, data]) => seeded(`a turn/end with ${name}`, one('turn/end', data))),
  ...Object.entries(refusedEnds).map(([name, data]) =>
    otherwise(`a turn/end with ${name}`, one('turn/end', data), 'shapes at once'),
  ),
  {
    name: 'a session goes on after its seed',
    steps: [
      { op: create('s', { seed: log(...turn(1)) }) },
      ...turn(2).map((draft) => ({ op: append('s', draft) })),
      { op: { do: 'read', id: 's' } },
      { op: { do: 'trace' } },
    ],
  },
  {
    name: 'a seeded session whose id is taken',
    refusal: 'SESSION_ALREADY_EXISTS',
    steps: [{ op: create('s', { seed: [] }) }, { op: create('s', { seed: [] }) }, { op: { do: 'list' } }],
  },
]
