import { describe, expect, it } from 'vitest'
import { eventProblem } from '../../lib/log/check.js'
import { KNOWN_TYPES, SURFACE_TYPES } from '../../lib/log/vocabulary.js'
import { assistant, type Draft, log, requestHeader, result, start, user } from './support.js'

/** The first problem of a draft with fields of its envelope replaced. */
const envelope = (fields: object): string | undefined => eventProblem({ ...log(start(1))[0], ...fields })
/** The problem of a draft whose value at `path` is replaced; `undefined` takes it away. */
const changed = (draft: Draft, path: string, value: unknown): string | undefined => {
  const [event] = structuredClone(log(draft))
  const keys = path.split('.')
  const last = keys.pop()!
  const parent = keys.reduce<Record<string, unknown>>(
    (at, key) => at[key] as Record<string, unknown>,
    event as unknown as Record<string, unknown>,
  )
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return eventProblem(event)
}

describe('the vocabulary', () => {
  it('has 48 known types', () => {
    expect(KNOWN_TYPES.size).toBe(48)
  })

  it('lets three of them reach the model', () => {
    expect([...SURFACE_TYPES]).toEqual(['user/message', 'assistant/message', 'tool/result'])
  })
})

describe('the envelope', () => {
  it.each([null, undefined, 1, 'turn/start', []])('is an object, not %j', (event) => {
    expect(eventProblem(event)).toBe('an event must be an object')
  })

  it.each([
    ['seq', 0],
    ['time', -5],
    ['data', null],
    ['data', 'nonsense'],
    ['ignorable', true],
    ['type', 'my/event'],
    ['type', ''],
  ])('may have %s %j', (field, value) => {
    expect(envelope({ [field]: value })).toBeUndefined()
  })

  it.each([
    ['type', 1, 'type must be a string'],
    ['seq', -1, 'seq must be a safe integer ≥ 0'],
    ['seq', 0.5, 'seq must be a safe integer ≥ 0'],
    ['seq', 2 ** 53, 'seq must be a safe integer ≥ 0'],
    ['seq', '0', 'seq must be a safe integer ≥ 0'],
    ['time', 0.5, 'time must be a safe integer (ms)'],
    ['time', undefined, 'time must be a safe integer (ms)'],
    ['data', undefined, 'data is missing'],
    ['ignorable', false, 'ignorable must be true or absent'],
    ['ignorable', null, 'ignorable must be true or absent'],
    ['extra', 1, "'extra' is no field of an event"],
  ])('may not have %s %j', (field, value, problem) => {
    expect(envelope({ [field]: value })).toBe(problem)
  })

  it.each(['request/header-delta', 'mode/set', 'steering/message'])('is never of the removed type %s', (type) => {
    expect(envelope({ type, ignorable: true })).toBe(`'${type}' is an obsolete event type`)
  })

  it.each(['text-chunks', 'reasoning-chunks', 'tool-call-chunks'])('is never of the type of a %s row', (type) => {
    expect(envelope({ type, ignorable: true })).toBe(`'${type}' is the type of a chunk row, no event type`)
  })

  it('of a message may say ignorable, which means nothing there', () => {
    expect(changed(user('hi'), 'ignorable', true)).toBeUndefined()
  })
})

describe('a message', () => {
  it.each([
    ['user/message', user('hi')],
    ['assistant/message', assistant('hi')],
    ['tool/result', result('c')],
  ])('of type %s passes', (_type, draft) => {
    expect(changed(draft, 'time', 1)).toBeUndefined()
  })

  it.each([
    ['user/message', user('hi'), 'data'],
    ['assistant/message', assistant('hi'), 'data.message'],
    ['tool/result', result('c'), 'data.message'],
  ])('of type %s has an id, its role, a source and content', (_type, draft, at) => {
    const problems = [
      [at, null],
      [`${at}.id`, ''],
      [`${at}.role`, 'system'],
      [`${at}.source`, null],
      [`${at}.source.kind`, ''],
      [`${at}.content`, {}],
    ] as const
    expect(problems.map(([path, value]) => changed(draft, path, value) !== undefined)).not.toContain(false)
  })

  it.each([[], [{ type: 'hologram' }], [null]].map((content) => [content]))('may have the content %j', (content) => {
    expect(changed(user('hi'), 'data.content', content)).toBeUndefined()
  })

  it('of a person may come from any kind of source', () => {
    expect(changed(user('hi'), 'data.source.kind', 'carrier-pigeon')).toBeUndefined()
  })

  it.each([
    ['source.kind', 'user'],
    ['source.provider', ''],
    ['source.model', undefined],
  ])('of a model does not pass with %s %j', (path, value) => {
    expect(changed(assistant('hi'), `data.message.${path}`, value)).toContain('message.source')
  })

  it.each([
    ['source.kind', 'user'],
    ['source.callId', ''],
    ['source.callId', 'another'],
    ['content', []],
    ['content.0.type', 'text'],
    ['content.0.content', 'text'],
    ['content.0.toolCallId', 'another'],
    ['content.1', { type: 'tool-result', toolCallId: 'c', content: [] }],
  ])('of a tool does not pass with %s %j', (path, value) => {
    expect(changed(result('c'), `data.message.${path}`, value)).toBeTypeOf('string')
  })
})

describe('a request header', () => {
  it.each<[string, object]>([
    ['only a config', {}],
    ['an empty system, no tools, no defaults', { system: '', tools: [], adapterDefaults: {} }],
    [
      'a default that its config has',
      { config: { provider: 'p', model: 'm', maxTokens: 1 }, adapterDefaults: { maxTokens: true } },
    ],
    ['a system and tools of any shape', { system: 1, tools: null }],
  ])('passes with %s', (_name, header) => {
    expect(changed(requestHeader(header), 'time', 1)).toBeUndefined()
  })

  it.each<[string, object]>([
    ['no config', { config: null }],
    ['an empty provider', { config: { provider: '', model: 'm' } }],
    ['no model', { config: { provider: 'p' } }],
    ['an empty reasoningEffort', { config: { provider: 'p', model: 'm', reasoningEffort: '' } }],
    ['defaults that are no object', { adapterDefaults: [] }],
    ['an unknown default', { adapterDefaults: { stop: true } }],
    ['a default that is not true', { adapterDefaults: { maxTokens: 1 } }],
    ['a default that its config does not have', { adapterDefaults: { maxTokens: true } }],
  ])('does not pass with %s', (_name, header) => {
    expect(changed(requestHeader(header), 'time', 1)).toBeTypeOf('string')
  })

  it("does not pass with the reason 'fallback'", () => {
    expect(changed(requestHeader(), 'data.reason', 'fallback')).toBe("reason 'fallback' is obsolete")
  })
})
