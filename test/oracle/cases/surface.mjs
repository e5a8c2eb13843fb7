/** The surface: appends, replacements, sources (`spec` 2.5), live and folded. */
import {
  append,
  APPEND,
  assistant,
  callBlock,
  create,
  end,
  endSeed,
  log,
  read,
  replace,
  result,
  start,
} from './drafts.mjs'
import { title, user, userMessage } from './drafts.mjs'

/** 0 turn/start, 1 user, 2 assistant with a call, 3 tool result, 4 user, 5 the marker of a seed; then comes 6. */
const base = [
  start(1),
  user('u1'),
  assistant('a1', [callBlock('c1')]),
  result('r1', 'c1', 'long output', APPEND, { meta: { k: 1 } }),
  user('u2'),
  endSeed,
]
const said = (intent) => ['user/message', userMessage('new'), intent]
const rewrite = (id, intent, meta = { k: 1 }, block = {}) => result(id, 'c1', 'short', intent, { meta }, block)

const rules = {
  'append with a source': [said({ surfaceOp: 'append', sourceEventSeqs: [0] })],
  'sources keep their order': [said({ surfaceOp: 'append', sourceEventSeqs: [2, 0] })],
  'no empty sources for a user message': [said({ surfaceOp: 'append', sourceEventSeqs: [] })],
  'empty sources for an assistant message': [assistant('a2', [], { surfaceOp: 'append', sourceEventSeqs: [] })],
  'no empty sources for a tool result': [result('r2', 'c2', '', { surfaceOp: 'append', sourceEventSeqs: [] })],
  'no source twice': [said({ surfaceOp: 'append', sourceEventSeqs: [0, 0] })],
  'no later source': [said({ surfaceOp: 'append', sourceEventSeqs: [99] })],
  'no source that is the event itself': [said({ surfaceOp: 'append', sourceEventSeqs: [6] })],
  'no negative source': [said({ surfaceOp: 'append', sourceEventSeqs: [-1] })],
  'no fractional source': [said({ surfaceOp: 'append', sourceEventSeqs: [0.5] })],
  'no source as text': [said({ surfaceOp: 'append', sourceEventSeqs: ['0'] })],
  'no sources that are no array': [said({ surfaceOp: 'append', sourceEventSeqs: 3 })],
  'no sources that are null': [said({ surfaceOp: 'append', sourceEventSeqs: null })],
  'no sources that are an object': [said({ surfaceOp: 'append', sourceEventSeqs: { length: 1 } })],
  'no other operation': [said({ surfaceOp: 'prepend' })],
  'no operation that is null': [said({ surfaceOp: null })],
  'no operation that is an array': [said({ surfaceOp: [] })],
  'no operation that is an array of three': [said({ surfaceOp: ['replace', 1, 1], sourceEventSeqs: [1] })],
  'no replacement with another name': [said({ surfaceOp: { op: 'swap', start: 1, end: 1 }, sourceEventSeqs: [1] })],
  'no replacement with a fourth key': [
    said({ surfaceOp: { op: 'replace', start: 1, end: 1, more: 1 }, sourceEventSeqs: [1] }),
  ],
  'no replacement without an end': [said({ surfaceOp: { op: 'replace', start: 1 }, sourceEventSeqs: [1] })],
  'no replacement with a fraction': [
    said({ surfaceOp: { op: 'replace', start: 1.5, end: 2 }, sourceEventSeqs: [1, 2] }),
  ],
  'no surfaceOp for a turn': [['turn/start', { turn: 1 }, APPEND]],
  'no sources for a turn': [['turn/start', { turn: 1 }, { sourceEventSeqs: [1] }]],
  'no empty sources for a turn': [['turn/start', { turn: 1 }, { sourceEventSeqs: [] }]],
  'no surfaceOp for a chunk': [['assistant/chunk', { turn: 1, step: 1, chunk: {} }, APPEND]],
  'a replacement of one node': [said(replace(1, 1, [1]))],
  'a replacement of a run': [said(replace(1, 3, [1, 2, 3]))],
  'a replacement of all nodes': [said(replace(1, 4, [1, 2, 3, 4]))],
  'a replacement with more sources': [said(replace(1, 2, [2, 0, 1]))],
  'a replacement at the end': [said(replace(4, 4, [4]))],
  'no replacement that misses a source': [said(replace(1, 2, [1]))],
  'no replacement without sources': [said({ surfaceOp: { op: 'replace', start: 1, end: 1 } })],
  'no replacement turned round': [said(replace(2, 1, [1, 2]))],
  'no replacement from what is no node': [said(replace(0, 1, [0, 1]))],
  'no replacement to what is no node': [said(replace(1, 9, [1]))],
  'no replacement of itself': [said(replace(6, 6, [6]))],
  'a replacement of a replacement': [said(replace(1, 3, [1, 2, 3])), said(replace(6, 4, [4, 6]))],
  'no replacement of what is replaced': [said(replace(1, 3, [1, 2, 3])), said(replace(2, 2, [2]))],
  'the order of nodes is not that of seqs': [said(replace(1, 1, [1])), said(replace(6, 2, [2, 6]))],
  'no replacement from a lower seq behind': [said(replace(3, 4, [3, 4])), said(replace(6, 2, [2, 6]))],
  'a tool result with other output': [rewrite('r1', replace(3, 3))],
  'a tool result rewritten twice': [rewrite('r1', replace(3, 3)), rewrite('r1', replace(6, 6))],
  'no tool result with another isError': [rewrite('r1', replace(3, 3), { k: 1 }, { isError: true })],
  'no tool result with another meta': [rewrite('r1', replace(3, 3), { k: 2 })],
  'no tool result with another message id': [rewrite('r2', replace(3, 3))],
  'no tool result in place of a user message': [rewrite('r1', replace(1, 1))],
  'no tool result in place of two nodes': [rewrite('r1', replace(3, 4, [3, 4]))],
  'a tool result whose keys are in another order': [
    ['tool/result', Object.fromEntries(Object.entries(rewrite('r1', APPEND)[1]).reverse()), replace(3, 3)],
  ],
  'a user message in place of a tool result': [said(replace(3, 3))],
  'an assistant message in place of a user message': [assistant('a2', [], replace(1, 1))],
  'an answer without content, replacing': [assistant('a2', [], replace(1, 4, [1, 2, 3, 4]))],
}

const folds = {
  'an empty log': [],
  'no message': log(start(1), title('t'), end(1)),
  messages: log(...base),
  'one replacement': log(...base, said(replace(1, 3, [1, 2, 3]))),
  'two replacements': log(...base, said(replace(1, 2, [1, 2])), said(replace(6, 4, [3, 4, 6])), user('u3')),
  'a gap in seq': [log(...base)[0], log(...base)[2]],
  'a log that begins late': log(...base).slice(1),
  'a message without surfaceOp': log(['user/message', userMessage('u')]),
  'a surfaceOp out of place': log(['turn/start', { turn: 1 }, APPEND]),
  'a replacement of nothing': log(said(replace(0, 0, [0]))),
}

const derived = {
  'a user message': log(user('u'))[0],
  'an assistant message': log(assistant('a'))[0],
  'an assistant message without content': log(assistant('a', []))[0],
  'a tool result': log(result('r', 'c'))[0],
  'a turn': log(start(1))[0],
  'a chunk': log(['assistant/chunk', { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'a' } }])[0],
  'a title': log(title('t'))[0],
}

export default [
  ...Object.entries(rules).map(([name, drafts]) => ({
    name,
    steps: [
      { op: create('s', { seed: log(...base) }) },
      ...drafts.map((draft) => ({ op: append('s', draft) })),
      { op: read('s') },
    ],
  })),
  ...Object.entries(folds).map(([name, events]) => ({
    name: `fold of ${name}`,
    steps: [{ op: { do: 'foldSurface', events } }],
  })),
  ...Object.entries(derived).map(([name, event]) => ({
    name: `the message of ${name}`,
    steps: [{ op: { do: 'derive', event } }],
  })),
]
