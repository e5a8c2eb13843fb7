/** What closes a turn that a crash left open (`spec` 5). */
import {
  APPEND,
  assistant,
  call,
  callBlock,
  delta,
  differs,
  end,
  endSeed,
  eventOf,
  log,
  requestHeader,
  result,
  start,
} from './drafts.mjs'
import { stepEnd, stepStart, title, turn, user } from './drafts.mjs'

const calling = (...ids) => [start(1), stepStart(1, 1), user('u'), assistant('a', ids.map(callBlock))]
const inStep = (n, id, ...ids) => ['assistant/message', { ...assistant(id, ids.map(callBlock))[1], step: n }, APPEND]

const logs = {
  'an empty log': [],
  'a finished turn': turn(1),
  'a title': [title('t')],
  'a turn that only started': [start(4)],
  'an open step': [start(1), stepStart(1, 2)],
  'an open second step': [start(1), stepStart(1, 1), stepEnd(1, 1), stepStart(1, 2)],
  'a closed step': [start(1), stepStart(1, 1), stepEnd(1, 1)],
  'a stream': [start(1), stepStart(1, 1), user('u'), requestHeader(), delta('a'), delta('b')],
  'an open turn after a finished one': [...turn(1), start(2), user('u2')],
  'a call that was not started': calling('c1'),
  'a call that runs': [...calling('c1'), call('c1')],
  'a call that is done': [...calling('c1'), call('c1'), result('r1', 'c1')],
  'three calls, each at another point': [...calling('c1', 'c2', 'c3'), call('c2'), call('c1'), result('r1', 'c1')],
  'calls in the order of the blocks': [...calling('b', 'a', '1'), call('1')],
  'a result without a call': [...calling('c1'), result('r1', 'c1')],
  'a call that no message made': [start(1), stepStart(1, 1), call('z')],
  'a call before its message': [start(1), stepStart(1, 1), call('c1'), assistant('a', [callBlock('c1')])],
  'the same call twice': [...calling('c1', 'c2'), call('c1'), assistant('b', [callBlock('c1')])],
  'the same id twice in one message': calling('c1', 'c1'),
  'a call that runs twice': [...calling('c1'), call('c1'), call('c1')],
  'a step that ended over its calls': [...calling('c1'), stepEnd(1, 1)],
  'calls of two steps': [
    ...calling('c1'),
    stepEnd(1, 1),
    stepStart(1, 2),
    inStep(2, 'b', 'c2'),
    call('c1'),
    call('c2'),
  ],
  'a step that ends without a start': [start(1), stepEnd(1, 1)],
  'a second start inside a turn': [...calling('c1'), start(2)],
  'a marker in an open turn': [start(1), endSeed],
  'an open compaction': [start(1), ['compaction/start', { compactionId: 'k', turn: 1 }]],
  'a step outside a turn': [stepStart(1, 1)],
  'a call outside a turn': [assistant('a', [callBlock('c1')])],
  'a message outside its turn is forgotten': [assistant('a', [callBlock('c1')]), start(1)],
  'an end without a start': [end(1)],
  'ids that are special names': calling('__proto__', 'constructor', ' '),
}

/** Turns that start with such data; DSH ends them with a turn/end that it then cannot read. */
const unnumbered = {
  'without a number': {},
  'with the number 0': { turn: 0 },
  'with a negative number': { turn: -1 },
  'with a fractional number': { turn: 0.5 },
  'with a number as text': { turn: '4' },
  'with an array as data': [],
}

export default [
  ...Object.entries(logs).map(([name, drafts]) => ({
    name,
    steps: [{ op: { do: 'closers', events: log(...drafts) } }],
  })),
  ...Object.entries(unnumbered).map(([name, data]) => {
    const events = log(...turn(1), ['turn/start', data])
    const { seq, time } = events.at(-1)
    const closer = eventOf(seq + 1, ...end(2, { kind: 'interrupted' }), { time })
    return {
      name: `a turn that started ${name} ends as the next one`,
      steps: [differs({ do: 'closers', events }, 'loaded again', { value: [closer] })],
    }
  }),
  {
    name: 'the time of the last event, also a negative one',
    steps: [{ op: { do: 'closers', events: [{ type: 'turn/start', seq: 0, time: -7, data: { turn: 1 } }] } }],
  },
  {
    name: 'the seq of the last event, also of a part of a log',
    steps: [{ op: { do: 'closers', events: log(...turn(1), start(2)).slice(3) } }],
  },
]
