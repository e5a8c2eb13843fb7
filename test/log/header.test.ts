import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHeader, encodeHeader, headerProblem, makeHeader, type SessionHeader } from '../../lib/log/header.js'
import { HEADER_LINE } from './support.js'

const valid = { version: 0, id: 's', createdAt: 1 }
const full = {
  ...valid,
  cwd: '/a',
  parentSession: 'p',
  seedLength: 3,
  origin: 'subagent',
  delegationDepth: 1,
  agentPreset: 'x',
} as const
const line = (fields: object): string => JSON.stringify({ ...JSON.parse(HEADER_LINE), ...fields })

describe('a header', () => {
  it.each<[string, unknown]>([
    ['id', ''],
    ['createdAt', 0],
    ['cwd', '/'],
    ['cwd', 'C:\\work'],
    ['cwd', 'c:/work'],
    ['cwd', '\\\\host\\share'],
    ['parentSession', ''],
    ['parentSession', 's'],
    ['seedLength', 10 ** 9],
    ['unknown', 1],
  ])('may have %s %j', (field, value) => {
    expect(headerProblem({ ...valid, [field]: value })).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['version', 1],
    ['version', '0'],
    ['id', 5],
    ['createdAt', -1],
    ['createdAt', 0.5],
    ['createdAt', -0],
    ['cwd', 'a/b'],
    ['cwd', ''],
    ['cwd', 'C:work'],
    ['cwd', undefined],
    ['parentSession', 5],
    ['seedLength', -1],
    ['seedLength', 2 ** 53],
    ['origin', 'user'],
    ['delegationDepth', '0'],
    ['agentPreset', 1],
    ['unknown', Number.NaN],
    ['id', 'x'.repeat(20_000)],
  ])('may not have %s %j', (field, value) => {
    expect(headerProblem({ ...valid, [field]: value })).toBeTypeOf('string')
  })
})

describe('a header from metadata', () => {
  it('has the version, the id and the time of its making', () => {
    expect(makeHeader('s', {}, 5)).toEqual({ version: 0, id: 's', createdAt: 5 })
  })

  it('takes createdAt when it is given', () => {
    expect(makeHeader('s', { createdAt: 1 }, 5)).toEqual(valid)
  })

  it('drops unknown and undefined fields, version and id', () => {
    const meta = { version: 9, id: 'other', cwd: undefined, unknown: 1 }
    expect(makeHeader('s', meta, 1)).toStrictEqual(valid)
  })

  it('has its fields in the order in which they are written', () => {
    const { version: _version, id: _id, ...meta } = full
    const reversed = Object.fromEntries(Object.entries(meta).reverse())
    expect(JSON.stringify(makeHeader('s', reversed, 1))).toBe(JSON.stringify(full))
  })

  it('is frozen', () => {
    expect(Object.isFrozen(makeHeader('s', {}, 1))).toBe(true)
  })

  it.each([null, undefined, 'x', []])('needs an object, not %j', (meta) => {
    expect(makeHeader('s', meta, 1)).toEqual({ reason: 'meta must be an object' })
  })

  it('that is wrong gives the reason', () => {
    expect(makeHeader('s', { cwd: 'a/b' }, 1)).toEqual({ reason: 'cwd must be an absolute path' })
  })
})

describe('the first line of a file', () => {
  it('has all fields in the order of the format', () => {
    expect(encodeHeader(full)).toBe(`{"type":"session",${JSON.stringify(full).slice(1)}`)
  })

  it('has a delegationDepth, 0 for a header without one', () => {
    expect(encodeHeader(valid)).toBe(HEADER_LINE)
  })

  it('gives back every header that was written', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 })
    const meta = fc.record(
      { cwd: text.map((path) => `/${path}`), parentSession: text, seedLength: fc.nat(), agentPreset: text },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(text, meta, (id, meta) => {
        const header = { ...(makeHeader(id, meta, 1) as SessionHeader), delegationDepth: 0 }
        expect(decodeHeader(encodeHeader(header))).toStrictEqual({ header })
      }),
    )
  })

  it('drops keys that it does not know', () => {
    expect(decodeHeader(line({ unknown: 1 }))).toStrictEqual({ header: { ...valid, delegationDepth: 0 } })
  })

  it.each([1, -1, 0.5])('of version %j is of another format', (version) => {
    expect(decodeHeader(line({ version }))).toHaveProperty('unsupported')
  })

  it('of another version is of another format whatever else it holds', () => {
    expect(decodeHeader('{"type":"session","version":1,"createdAt":"x"}')).toHaveProperty('unsupported')
  })

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['an array', '[]'],
    ['an event', '{"type":"turn/start","seq":0,"time":1,"data":{}}'],
    ['a byte order mark', `\ufeff${HEADER_LINE}`],
    ['no version', line({ version: undefined })],
    ['a version that is a string', line({ version: '0' })],
    ['no id', line({ id: undefined })],
    ['no createdAt', line({ createdAt: undefined })],
    ['no delegationDepth', line({ delegationDepth: undefined })],
    ['delegationDepth -0', HEADER_LINE.replace('"delegationDepth":0', '"delegationDepth":-0')],
    ['a relative cwd', line({ cwd: 'a/b' })],
    ['cwd null', line({ cwd: null })],
    ['another origin', line({ origin: 'user' })],
    ['sandboxMode', line({ sandboxMode: 'read-only' })],
    ['approvalPolicy', line({ approvalPolicy: null })],
  ])('with %s is no header', (_name, text) => {
    expect(decodeHeader(text)).toHaveProperty('reason')
  })
})
