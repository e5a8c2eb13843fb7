/** Lossless JSON: what a log takes (`spec` 1.3). */
import { names } from '../values.mjs'
import { $, append, create, differs, read, refused } from './drafts.mjs'

/** A regular expression's flags, `arguments`, a proxy: all of it goes through `isJsonValue`, the copy, and a log. */
const plain = {
  null: null,
  true: true,
  zero: 0,
  'a large integer': 2 ** 60,
  'the smallest number': 5e-324,
  'an empty string': '',
  'a lone surrogate': '\ud800',
  'an empty array': [],
  'an empty object': {},
  'integer-like keys': { b: 1, 10: 2, 2: 3 },
  'undefined in an array': [$('undefined')],
  'undefined in an object': { a: $('undefined') },
  'a symbol in an object': { a: $('symbol') },
  'a deep -0': { a: [{ b: $('-0') }] },
  'a deep date': { a: [{ b: $('Date') }] },
}
const special = Object.fromEntries(names.map((name) => [name, $(name)]))
const values = { ...plain, ...special }

const THROWS = ['throwing getter']
const TOO_DEEP = ['501 levels', '20000 levels']

export default [
  ...Object.entries(values).map(([name, value]) => ({
    name,
    steps: [
      { op: { do: 'isJson', value } },
      // A deep copy would fill a page, and says nothing that the check does not.
      ...(/levels/.test(name) ? [] : [{ op: { do: 'snapshot', value } }]),
    ],
  })),
  ...Object.entries(values)
    .filter(([name]) => !THROWS.includes(name))
    .map(([name, value]) => {
      // 500 levels of which the array is one.
      const op = append('s', ['todo/write', /levels/.test(name) ? value : { todos: [value] }])
      const step = TOO_DEEP.includes(name) ? differs(op, 'append checks', refused('INVALID_EVENT')) : { op }
      const after = /levels/.test(name) ? [] : [{ op: read('s') }]
      return { name: `append of ${name}`, steps: [{ op: create('s') }, step, ...after] }
    }),
]
