/** `fork` under `rules: 'harness'` (`spec` 3.4). */
import { $, append, APPEND, assistant, callBlock, clock, create, differs, end, endSeed, fork, log } from './drafts.mjs'
import { read, replace, result, start, stepStart, T0, title, turn, user, userMessage } from './drafts.mjs'

const on = (drafts, ...steps) => [
  { op: create('p', { meta: { cwd: '/w' } }) },
  ...drafts.map((draft) => ({ op: append('p', draft) })),
  ...steps.map((step) => ('op' in step ? step : { op: step })),
]

const one = turn(1)
const two = [...turn(1), ...turn(2)]
const compaction = [
  ...two,
  start(3),
  ['compaction/start', { compactionId: 'k', turn: 3 }],
  ['user/message', userMessage('sum'), replace(1, 4, [1, 4])],
  ['compaction/end', { compactionId: 'k', turn: 3 }],
  end(3),
]

/** Every boundary of these logs, and none. */
const logs = {
  'an empty log': [],
  'an open turn': [start(1)],
  'a finished turn': one,
  'a finished turn and a title': [...one, title('t')],
  'a finished turn and an open one': [...one, start(2), user('u2')],
  'a title before the first turn': [title('t'), ...one],
  'only a title': [title('t')],
  'an end without a start': [end(1), start(1)],
  'a turn started twice': [start(1), start(1), end(1)],
  'a message between turns': [...one, user('between'), ...turn(2)],
  'a marker by hand': [...one, endSeed],
  'a compaction': compaction,
}

const boundaries = {
  negative: -1,
  fractional: 0.5,
  'as text': '2',
  null: null,
  true: true,
  'beyond the safe integers': 2 ** 53,
  'the largest safe integer': 2 ** 53 - 1,
  NaN: $('NaN'),
  infinite: $('Infinity'),
  'a bigint': $('bigint'),
  'an array': [2],
  'an object': {},
}

const reasons = [
  { kind: 'completed' },
  { kind: 'blocked' },
  { kind: 'max-tokens' },
  { kind: 'interrupted' },
  { kind: 'aborted', reason: { kind: 'user' } },
  { kind: 'error', error: { message: 'm', code: 'C' } },
]

export default [
  ...Object.entries(logs).map(([name, drafts]) => ({
    name: `${name}, at every boundary`,
    steps: on(
      drafts,
      fork('p', 'child'),
      ...Array.from({ length: drafts.length + 1 }, (_, seq) => fork('p', `child ${seq}`, seq)),
      read('p'),
    ),
  })),
  {
    name: 'a boundary that is no seq',
    steps: on(two, ...Object.values(boundaries).map((boundary, i) => fork('p', `child ${i}`, boundary)), {
      do: 'list',
    }),
  },
  { name: 'a boundary of -0', steps: on([title('t')], fork('p', 'child', $('-0'))) },
  ...reasons.map((reason) => ({
    name: `a turn that ended ${reason.kind}`,
    steps: on([start(1), user('u'), end(1, reason)], fork('p', 'child')),
  })),
  {
    name: 'the order of checks',
    steps: on(
      one,
      fork('missing', 'p', -1),
      fork('missing', 'child', -1),
      fork('p', 'p'),
      fork('p', 'p', -1),
      fork('p', 'child', 99),
      fork('p', 'child', -1, 'stale'),
      fork('missing', 'child', -1, 'stale'),
      { do: 'list' },
      { do: 'trace' },
    ),
  },
  { name: 'by object', steps: on(one, fork('p', 'child', undefined, 'object'), fork('p', 'child 2', 2, 'object')) },
  {
    name: 'a child inherits only cwd, and is made now',
    steps: [
      {
        op: create('p', {
          seed: log(...one),
          meta: {
            cwd: '/w',
            parentSession: 'q',
            seedLength: 1,
            createdAt: 5,
            origin: 'subagent',
            delegationDepth: 3,
            agentPreset: 'a',
          },
        }),
      },
      { op: clock(T0 + 60_000) },
      { op: fork('p', 'child', 2) },
      { op: fork('child', 'grandchild') },
    ],
  },
  {
    name: 'three generations, each with a turn',
    steps: on(
      one,
      fork('p', 'a'),
      ...turn(2).map((draft) => append('a', draft)),
      fork('a', 'b'),
      ...turn(3).map((draft) => append('b', draft)),
      fork('b', 'c'),
      fork('b', 'at the inherited marker', 3),
      fork('b', 'at the inherited end', 2),
      read('c'),
      { do: 'list' },
    ),
  },
  {
    name: 'an untouched fork of an untouched fork has one marker',
    steps: on(one, fork('p', 'a'), fork('a', 'b'), fork('b', 'c'), read('c')),
  },
  {
    name: 'an untouched fork of an empty session',
    steps: on([], fork('p', 'a'), fork('a', 'b'), fork('a', 'c', 0)),
  },
  {
    name: 'neither side sees the other grow',
    steps: on(
      one,
      fork('p', 'a'),
      ...turn(2).map((draft) => append('p', draft)),
      append('a', title('mine')),
      read('p'),
      read('a'),
    ),
  },
  {
    name: 'a seed that left a turn open',
    steps: [
      { op: create('p', { seed: log(start(1)) }) },
      { op: fork('p', 'a') },
      { op: append('p', end(1)) },
      { op: fork('p', 'b') },
    ],
  },
  {
    name: 'what the model sees is forked with its replacements',
    steps: on(compaction, fork('p', 'a'), read('a'), fork('p', 'b', 5), read('b')),
  },
  {
    name: 'a fork inside a turn with tools',
    steps: on(
      [start(1), stepStart(1, 1), user('u'), assistant('a', [callBlock('c')], APPEND), result('r', 'c')],
      fork('p', 'a', 4),
      fork('p', 'b'),
    ),
  },
  {
    name: 'the id of a child that was refused is free',
    steps: on([start(1)], fork('p', 'a'), create('a'), { do: 'list' }),
  },
  {
    name: 'the id of a disposed child is free',
    steps: on(one, fork('p', 'a'), { do: 'dispose', id: 'p' }, fork('p', 'b'), fork('a', 'p'), { do: 'list' }),
  },
  {
    name: 'a source that went away, by object',
    steps: on(one, { do: 'dispose', id: 'p' }, fork('p', 'a', undefined, 'object'), create('p'), { do: 'list' }),
  },
  {
    name: 'a released source',
    steps: [
      ...on(one, { do: 'release', id: 'p' }),
      differs(fork('p', 'a', 2), 'stored source', {
        value: {
          header: { version: 0, id: 'a', createdAt: T0, cwd: '/w', parentSession: 'p', seedLength: 3 },
          firstLiveSeq: 3,
          events: [
            ...one.map(([type, data, intent], seq) => ({ type, seq, time: T0, data, ...intent })),
            { type: 'session/end-seed', seq: 3, time: T0, data: {} },
          ],
        },
      }),
    ],
  },
  {
    name: 'the id of a session that was released',
    steps: [
      ...on(one, create('other'), ...one.map((draft) => append('other', draft)), { do: 'release', id: 'other' }),
      differs(fork('p', 'other'), 'taken id', { error: { name: 'SessionForkError', code: 'SESSION_ALREADY_EXISTS' } }),
    ],
  },
  {
    name: 'a session that is opened again goes on where it was',
    steps: on(
      two,
      { do: 'reload', id: 'p' },
      ...turn(3).map((draft) => append('p', draft)),
      { do: 'reload', id: 'p' },
      { do: 'reload', id: 'p' },
      fork('p', 'a', 5),
      fork('p', 'b'),
    ),
  },
  {
    name: 'a crash inside a turn, and a fork of what was closed',
    steps: on([...one, start(2), user('u2')], { do: 'reload', id: 'p' }, fork('p', 'a'), fork('p', 'b', 4)),
  },
]
