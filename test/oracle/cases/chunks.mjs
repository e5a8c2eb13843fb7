/** Chunk rows: which runs of deltas become one, and what a row gives back (`spec` 7.3). */
import { end, eventOf, start, user } from './drafts.mjs'

const at = (seq, chunk, more) =>
  eventOf(seq, 'assistant/chunk', { turn: 1, step: 1, chunk }, { time: 100 + seq, ...more })
const text = (text, index = 0) => ({ type: 'text-delta', index, text })
const thought = (text, index = 0) => ({ type: 'reasoning-delta', index, text })
const args = (argumentsDelta, { id = 'c', name, index = 0 } = {}) => ({
  type: 'tool-call-delta',
  index,
  id,
  ...(name !== undefined && { name }),
  argumentsDelta,
})
const run = (...chunks) => chunks.map((chunk, seq) => at(seq, chunk))
const timed = (...times) => times.map((time, seq) => ({ ...at(seq, text('a')), time }))
const MAX = Number.MAX_SAFE_INTEGER

const packed = {
  nothing: [],
  one: run(text('a')),
  two: run(text('a'), text('b')),
  three: run(text('a'), text('b'), text('')),
  'three thoughts': run(thought('a'), thought('b'), thought('c')),
  'another index': run(text('a'), text('b'), text('c'), text('d', 1)),
  'another kind': run(text('a'), text('b'), text('c'), thought('d'), thought('e'), thought('f')),
  'a name on the first': run(args('{', { name: 'ls' }), args('"'), args('}'), args('')),
  'the same name on all': run(args('{', { name: 'ls' }), args('"', { name: 'ls' }), args('}', { name: 'ls' })),
  'a name that changes': run(...['a', 'a', 'a', 'b', 'b', 'b'].map((name) => args('', { name }))),
  'no name': run(args('{'), args('"'), args('}')),
  'another call': run(args('1'), args('2'), args('3'), args('4', { id: 'd' }), args('5', { id: 'd' })),
  'a chunk with an extra key': run(text('a'), { ...text('b'), more: 1 }, text('c'), text('d'), text('e')),
  'data with an extra key': run(text('a'), text('b'), text('c')).map((event) => ({
    ...event,
    data: { ...event.data, more: 1 },
  })),
  'an ignorable one': [at(0, text('a'), { ignorable: true }), ...[1, 2, 3].map((seq) => at(seq, text('b')))],
  'a gap in seq': [0, 1, 3, 4, 5].map((seq) => at(seq, text('a'))),
  'another step': [0, 1, 2, 3, 4, 5].map((seq) =>
    eventOf(seq, 'assistant/chunk', { turn: 1, step: 1 + (seq >> 1), chunk: text('a') }),
  ),
  'another turn': [0, 1, 2, 3].map((seq) =>
    eventOf(seq, 'assistant/chunk', { turn: seq < 3 ? 1 : 2, step: 1, chunk: text('a') }),
  ),
  'a start of a block between': run(
    text('a'),
    text('b'),
    { type: 'block-start', index: 1, blockType: 'text' },
    text('c'),
  ),
  'other events around': [
    eventOf(0, ...start(1)),
    eventOf(1, ...user('u')),
    ...[2, 3, 4].map((seq) => at(seq, text('a'))),
    eventOf(5, ...end(1)),
  ],
  'times that go back': timed(10, 5, 5),
  'a gap in time that is no safe integer': timed(-MAX, MAX, MAX, MAX),
  'a fractional index': run(text('a', 0.5), text('b', 0.5), text('c', 0.5)),
  'text that is no text': run(text(1), text(2), text(3)),
  'an index that is no number': run(text('a', '0'), text('b', '0'), text('c', '0')),
  'a turn that is no number': [0, 1, 2].map((seq) =>
    eventOf(seq, 'assistant/chunk', { turn: 'x', step: 1, chunk: text('a') }),
  ),
  'a chunk that is null': [0, 1, 2].map((seq) => at(seq, null)),
  'keys in another order': run(text('a'), text('b'), text('c')).map((event) =>
    Object.fromEntries(Object.entries(event).reverse()),
  ),
  'a seq that is not safe': [MAX - 1, MAX, MAX + 1].map((seq) => at(seq, text('a'), { time: 0 })),
}

const row = (change = {}, data = {}) => ({
  type: 'text-chunks',
  seq0: 5,
  time0: 10,
  data: { turn: 1, step: 1, index: 0, dt: [1, -2], texts: ['a', '', 'b'], ...data },
  ...change,
})
const callRow = (data = {}) => ({
  type: 'tool-call-chunks',
  seq0: 5,
  time0: 10,
  data: { turn: 1, step: 1, index: 0, dt: [1], id: 'c', args: ['{', '}'], ...data },
})
const without = (object, key) => Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))

const records = {
  'a row': row(),
  'a row of thoughts': row({ type: 'reasoning-chunks' }),
  'a row of one': row({}, { dt: [], texts: ['a'] }),
  'a row of none': row({}, { dt: [], texts: [] }),
  'a row of a call': callRow(),
  'a row of a call with a name': callRow({ name: 'ls' }),
  'a row of a call whose name is no text': callRow({ name: 1 }),
  'a row of a call whose id is no text': callRow({ id: 1 }),
  'a row of a call with texts': { ...callRow(), data: { ...without(callRow().data, 'args'), texts: ['{', '}'] } },
  'a row of text with a name': row({}, { name: 'ls' }),
  'a row with an extra key': row({ more: 1 }),
  'a row with an extra key in data': row({}, { more: 1 }),
  'a row without a time': without(row(), 'time0'),
  'a row without a turn': row({ data: without(row().data, 'turn') }),
  'a row whose data is an array': row({ data: [] }),
  'a row whose data is null': row({ data: null }),
  'a negative seq': row({ seq0: -1 }),
  'a fractional seq': row({ seq0: 0.5 }),
  'a fractional time': row({ time0: 0.5 }),
  'a negative time': row({ time0: -10 }),
  'texts that are no text': row({}, { texts: ['a', 1, 'b'] }),
  'too few gaps': row({}, { dt: [1] }),
  'too many gaps': row({}, { dt: [1, 1, 1] }),
  'a fractional gap': row({}, { dt: [0.1, 1] }),
  'gaps that are no array': row({}, { dt: 1 }),
  'a time beyond the safe integers': row({ time0: MAX }),
  'a time that comes back to the safe integers': row({ time0: MAX }, { dt: [1, -1] }),
  'the largest seqs': row({ seq0: MAX - 2 }),
  'seqs beyond the safe integers': row({ seq0: MAX - 1 }, { dt: [0, 0, 0], texts: ['a', 'b', 'c', 'd'] }),
  'a fractional index': row({}, { index: 0.5 }),
  'an index as text': row({}, { index: '0' }),
  'a turn that is no number': row({}, { turn: 'x' }),
  'an event': eventOf(0, ...start(1)),
  'an unknown record': { type: 'image-chunks', seq0: -1 },
  'a number': 5,
  null: null,
  text: 'a',
}

export default [
  ...Object.entries(packed).map(([name, events]) => ({
    name: `packing ${name}`,
    steps: [{ op: { do: 'pack', events } }],
  })),
  ...Object.entries(records).map(([name, record]) => ({
    name: `decoding ${name}`,
    steps: [{ op: { do: 'decode', record } }],
  })),
]
