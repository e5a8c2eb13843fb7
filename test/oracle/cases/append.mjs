/** `append`: the event it makes, and what it refuses (`spec` 2.3). */
import {
  $,
  append,
  APPEND,
  assistant,
  assistantMessage,
  call,
  chunk,
  clock,
  create,
  delta,
  differs,
} from './drafts.mjs'
import { end, endSeed, read, refused, requestHeader, result, resultMessage, start, stepEnd } from './drafts.mjs'
import { refusedEnds, takenEnds } from './ends.mjs'
import { stepStart, T0, text, title, turn, user, userMessage } from './drafts.mjs'

const logOf = (name, ...drafts) => ({
  name,
  steps: [{ op: create('s') }, ...drafts.map((draft) => ({ op: append('s', draft) })), { op: read('s') }],
})
const INVALID = refused('INVALID_EVENT')
/** DSH takes it live, and then cannot load it again. */
const onlyThere = (name, ...draft) => ({
  name,
  steps: [{ op: create('s') }, differs(append('s', draft), 'append checks', INVALID)],
})
const both = (name, ...drafts) => ({
  name,
  steps: [{ op: create('s') }, ...drafts.map((draft) => ({ op: append('s', draft) }))],
})

const without = (object, key) => Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
const inData = (message) => ({ turn: 1, step: 1, message })

const types = {
  'todo/write': { todos: [{ content: 'a', status: 'pending' }] },
  'request/context': { provider: 'p', model: 'm' },
  'session/title': title('t')[1],
  'agent/inbox/spliced': { target: 'next-turn', start: 0, inserted: [] },
  'agent-preset/selected': { agentPreset: 'a' },
  'approval/asked': { id: 'a', toolName: 'ls' },
  'approval/decided': { id: 'a', outcome: 'rejected' },
  'approval/policy': { policy: 'ask' },
  'command/run': { commandId: 'a', name: 'n', source: { kind: 'user' } },
  'command/done': { commandId: 'a', kind: 'success' },
  'compaction/start': { compactionId: 'a', turn: null },
  'compaction/prune': { shadowedRange: { start: 0, end: 0 }, shadowedSeqs: [0], shadowedTokenCount: 1 },
  'compaction/end': { compactionId: 'a', turn: null },
  'feedback/record': { text: 'a' },
  'hook/invoked': { turn: 1, point: 'a', dialect: 'codex', handlerId: 'h' },
  'llm/retry-started': { retryId: 'a', turn: 1, step: 1, retry: 1 },
  'plan/mode': { active: true },
  'sandbox/mode': { mode: 'read-only' },
  'subagent/descriptor': { version: 2, mode: 'one-shot', provider: 'fork' },
  'tool-workflow/run-start': { runId: 'a', name: 'n' },
}

export default [
  logOf('a turn with a step', start(1), stepStart(1, 1), user('u1'), assistant('a1'), stepEnd(1, 1), end(1)),
  logOf(
    'a streamed answer with a tool call',
    start(1),
    stepStart(1, 1),
    user('u1'),
    delta('I '),
    delta('look'),
    chunk({ type: 'finish', reason: { kind: 'tool-calls' } }),
    assistant('a1', [text('I look'), { type: 'tool-call', id: 'c1', name: 'ls', arguments: '{}' }], {
      sourceEventSeqs: [3, 4, 5],
      surfaceOp: 'append',
    }),
    call('c1'),
    result('r1', 'c1', 'a.txt', { surfaceOp: 'append', sourceEventSeqs: [7] }),
    stepEnd(1, 1),
    end(1),
  ),
  logOf(
    'the request header is canonical, the context the last one whole',
    requestHeader({ system: '', tools: [], adapterDefaults: {} }),
    ['request/context', { provider: 'p', model: 'm', contextWindow: 10 }],
    ['request/context', { provider: 'p', model: 'm2' }],
  ),
  logOf('a request header with everything', [
    'request/header',
    {
      header: {
        config: { provider: 'p', model: 'm', maxTokens: 5, reasoningEffort: 'low', stop: ['a'] },
        adapterDefaults: { reasoningEffort: true, maxTokens: true },
        system: 's',
        tools: [{ name: 't', description: 'd', parameters: { type: 'object' } }],
      },
      reason: 'change',
    },
  ]),
  logOf('an answer without content is on the surface and tells the model nothing', user('u'), assistant('a', [])),
  logOf('a marker by hand', endSeed, endSeed),
  logOf('turns in no order', end(3), start(2), start(2), stepEnd(7, 7), end(1)),
  logOf(
    'nonsense in data that nobody inspects',
    ['turn/start', { turn: 'x', more: 1 }],
    ['turn/end', null],
    ['step/start', []],
  ),
  ...Object.entries(types).map(([type, data]) => logOf(`the type ${type}`, [type, data])),
  {
    name: 'the time is the clock at append, also when it goes back',
    steps: [
      { op: create('s') },
      { op: append('s', start(1)) },
      { op: clock(T0 - 5000) },
      { op: append('s', end(1)) },
      { op: clock(-5) },
      { op: append('s', start(2)) },
    ],
  },

  ...Object.entries({
    'no surfaceOp for a user message': ['user/message', userMessage('u')],
    'an empty intent for a user message': ['user/message', userMessage('u'), {}],
    'an obsolete type': ['request/header-delta', {}],
    'a request header for a fallback': requestHeader({}, 'fallback'),
    'data that is undefined': ['turn/start', $('undefined')],
    'a surfaceOp that is no JSON': [
      'user/message',
      userMessage('u'),
      { surfaceOp: { op: 'replace', start: $('-0'), end: 0 } },
    ],
    'sources that are no JSON': [
      'user/message',
      userMessage('u'),
      { surfaceOp: 'append', sourceEventSeqs: [$('NaN')] },
    ],
  }).map(([name, draft]) => both(`refused: ${name}`, draft)),
  both(
    'unknown keys beside the intent are ignored',
    ['turn/start', { turn: 1 }, { more: 1 }],
    ['user/message', userMessage('u'), { more: 1, surfaceOp: 'append' }],
  ),
  both('undefined in the intent counts as absent', [
    'turn/start',
    { turn: 1 },
    { surfaceOp: $('undefined'), sourceEventSeqs: $('undefined') },
  ]),
  both('a refused append takes no seq', ['turn/start', { turn: $('-0') }], start(1)),

  onlyThere('an unknown type', 'my/own', {}),
  onlyThere('an empty type', '', {}),
  onlyThere('a type that is no string', 7, {}),
  onlyThere('the obsolete type mode/set', 'mode/set', {}),
  onlyThere('the obsolete type steering/message', 'steering/message', {}),
  onlyThere('the type of a chunk row', 'text-chunks', {}),
  onlyThere('a request header without a provider', ...requestHeader({ config: { model: 'm' } })),
  onlyThere('a request header with an unknown default', ...requestHeader({ adapterDefaults: { foo: true } })),
  onlyThere('a request header without a header', 'request/header', { reason: 'initial' }),
  onlyThere('a user message without fields', 'user/message', { hello: 1 }, APPEND),
  onlyThere('a user message without an id', 'user/message', without(userMessage('u'), 'id'), APPEND),
  onlyThere('a user message with an empty id', 'user/message', userMessage(''), APPEND),
  onlyThere('a user message of another role', 'user/message', userMessage('u', { role: 'assistant' }), APPEND),
  onlyThere('a user message without a source', 'user/message', without(userMessage('u'), 'source'), APPEND),
  onlyThere('a user message with text as content', 'user/message', userMessage('u', { content: 'a' }), APPEND),
  onlyThere('an assistant message that is not wrapped', 'assistant/message', assistantMessage('a'), APPEND),
  onlyThere(
    'an assistant message of no model',
    'assistant/message',
    inData(assistantMessage('a', [], { source: { kind: 'user' } })),
    APPEND,
  ),
  onlyThere(
    'a tool result whose ids differ',
    'tool/result',
    inData(resultMessage('r', 'c', 'x', { toolCallId: 'd' })),
    APPEND,
  ),
  onlyThere(
    'a tool result of two blocks',
    'tool/result',
    inData({ ...resultMessage('r', 'c'), content: [text('a'), text('b')] }),
    APPEND,
  ),

  ...Object.entries(takenEnds).map(([name, data]) => logOf(`a turn/end with ${name}`, ['turn/end', data])),
  ...Object.entries(refusedEnds).map(([name, data]) => ({
    name: `a turn/end with ${name}`,
    steps: [{ op: create('s') }, differs(append('s', ['turn/end', data]), 'shapes at once', INVALID)],
  })),

  {
    name: 'a disposed session',
    steps: [
      { op: create('s') },
      { op: append('s', start(1)) },
      { op: { do: 'dispose', id: 's' } },
      differs(append('s', end(1)), 'not live', refused('SESSION_NOT_LIVE')),
      { op: { do: 'list' } },
    ],
  },
  {
    name: 'what listeners are told',
    steps: [
      { op: create('s', { seed: [] }) },
      ...turn(1).map((draft) => ({ op: append('s', draft) })),
      { op: append('s', ['user/message', userMessage('u')]) },
      { op: { do: 'fork', source: 's', child: 'c' } },
      { op: { do: 'dispose', id: 's' } },
      { op: { do: 'trace' } },
      { op: { do: 'list' } },
    ],
  },
  {
    name: 'a flush',
    steps: [
      { op: create('s') },
      { op: append('s', start(1)) },
      differs({ do: 'flush', id: 's' }, 'flush', { value: true }),
    ],
  },
]
