/** The header that metadata makes (`spec` 2.1). */
import { $, create, differs, refused, T0 } from './drafts.mjs'

const made = (name, meta) => ({ name, refusal: 'INVALID_HEADER', steps: [{ op: create('s', { meta }) }] })
/** `spec` 2.1, browser note: there is no rule of an operating system in a browser. */
const windows = (name, cwd) => ({
  name,
  steps: [
    differs(create('s', { meta: { cwd } }), 'cwd', {
      value: { header: { version: 0, id: 's', createdAt: T0, cwd }, firstLiveSeq: 0, events: [] },
    }),
  ],
})

const metas = {
  'no metadata': {},
  'a cwd': { cwd: '/home/me' },
  'a cwd that is the root': { cwd: '/' },
  'a relative cwd': { cwd: 'a/b' },
  'a cwd with a dot': { cwd: './a' },
  'an empty cwd': { cwd: '' },
  'a cwd that is a number': { cwd: 4 },
  'a cwd that is null': { cwd: null },
  'a cwd that is undefined': { cwd: $('undefined') },
  'a drive without a slash': { cwd: 'C:x' },
  'a parent': { parentSession: 'p' },
  'an empty parent': { parentSession: '' },
  'itself as parent': { parentSession: 's' },
  'a parent that is a number': { parentSession: 4 },
  'a parent that is null': { parentSession: null },
  'a seed length': { seedLength: 3 },
  'a seed length of 0': { seedLength: 0 },
  'a seed length of -0': { seedLength: $('-0') },
  'a negative seed length': { seedLength: -1 },
  'a fractional seed length': { seedLength: 0.5 },
  'a seed length as text': { seedLength: '3' },
  'a time of creation': { createdAt: 3 },
  'a time of creation of 0': { createdAt: 0 },
  'a time of creation of -0': { createdAt: $('-0') },
  'a negative time of creation': { createdAt: -1 },
  'a fractional time of creation': { createdAt: 1.5 },
  'a time of creation as text': { createdAt: '3' },
  'a time of creation that is undefined': { createdAt: $('undefined') },
  'a subagent': { origin: 'subagent', delegationDepth: 2 },
  'an unknown origin': { origin: 'user' },
  'a depth of 0': { delegationDepth: 0 },
  'a negative depth': { delegationDepth: -1 },
  'a fractional depth': { delegationDepth: 1.5 },
  'a preset': { agentPreset: 'a' },
  'an empty preset': { agentPreset: '' },
  'a preset that is a number': { agentPreset: 4 },
  'an unknown field': { cwd: '/a', foo: 1 },
  "a version and an id, which are the store's": { version: 7, id: 'other' },
  'all fields, in their order': {
    agentPreset: 'p',
    delegationDepth: 1,
    origin: 'subagent',
    seedLength: 0,
    parentSession: 'q',
    cwd: '/w',
    createdAt: 3,
  },
}

/** As large as the README allows, each of them; then one byte more. As JSON, quotes and all. */
const KIB = 1024
const longId = 'i'.repeat(2 * KIB - 2)
const longCwd = `/${'c'.repeat(8 * KIB - 3)}`
const room = 16 * KIB - JSON.stringify({ version: 0, id: longId, createdAt: T0, cwd: longCwd, agentPreset: '' }).length
const long = { cwd: longCwd, agentPreset: 'p'.repeat(room) }
const tooLong = (name, id, meta) => ({
  name,
  steps: [differs(create(id, { meta }), 'limits of headers and rows', refused('INVALID_HEADER'))],
})

export default [
  ...Object.entries(metas).map(([name, meta]) => made(name, meta)),
  windows('a drive', 'C:\\Users\\me'),
  windows('a drive with a slash', 'C:/Users/me'),
  windows('a share', '\\\\host\\share'),
  {
    name: 'a header of 16 KiB with an id of 2 KiB and a cwd of 8 KiB',
    steps: [{ op: create(longId, { meta: long }) }],
  },
  tooLong('an id over 2 KiB', `${longId}i`, {}),
  tooLong('a cwd over 8 KiB', 's', { cwd: `${longCwd}c` }),
  tooLong('a header over 16 KiB', longId, { ...long, agentPreset: `${long.agentPreset}p` }),
  { name: 'an empty id', steps: [{ op: create('') }, { op: { do: 'list' } }] },
  { name: 'an id with anything in it', steps: [{ op: create('é/😀 ~\n') }, { op: { do: 'list' } }] },
  { name: 'an id that is taken', refusal: 'SESSION_ALREADY_EXISTS', steps: [{ op: create('s') }, { op: create('s') }] },
]
