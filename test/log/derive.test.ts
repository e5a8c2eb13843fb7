import { deriveEventMessage } from 'idb-sessions/log'
import { describe, expect, it } from 'vitest'
import { canonicalHeader, RequestFold } from '../../lib/log/derive.js'
import type { EpochHeader } from '../../lib/log/event.js'
import { assistant, delta, type Draft, log, requestHeader, result, start, user } from './support.js'

const config = { provider: 'p', model: 'm', maxTokens: 5 }
const message = (draft: Draft): unknown => deriveEventMessage(log(draft)[0]!)
const fold = (...drafts: Draft[]): RequestFold => {
  const fold = new RequestFold()
  for (const event of log(drafts)) fold.apply(event)
  return fold
}

describe('the message of an event', () => {
  it('is the logged object itself', () => {
    const draft = user('a')
    expect(message(draft)).toBe(draft.data)
  })

  it.each([
    ['an answer', assistant('a')],
    ['a tool result', result('c')],
  ])('is the one inside the data of %s', (_name, draft) => {
    expect(message(draft)).toBe((draft.data as { message: object }).message)
  })

  it.each([
    ['an answer without content', assistant([])],
    ['a turn', start(1)],
    ['a piece of an answer', delta('a')],
  ])('is null for %s', (_name, draft) => {
    expect(message(draft)).toBeNull()
  })
})

describe('a request header', () => {
  it('drops an empty system, no tools and no defaults', () => {
    const header = { config, system: '', tools: [], adapterDefaults: {} }
    expect(canonicalHeader(header)).toStrictEqual({ config })
  })

  it('keeps what is not empty', () => {
    const tools = [{ name: 'ls', description: '', parameters: {} }]
    const header: EpochHeader = { config, adapterDefaults: { maxTokens: true }, system: 's', tools }
    expect(canonicalHeader(header)).toStrictEqual(header)
  })

  it.each([{ tools: null }, { tools: 5 }, { tools: 'ls' }, { system: null }, { system: 5 }])(
    'drops %j, which no check on the way in looks at',
    (odd) => {
      expect(canonicalHeader({ config, ...odd } as unknown as EpochHeader)).toStrictEqual({ config })
    },
  )

  it('is frozen', () => {
    const header = canonicalHeader({ config: { ...config }, tools: [{ name: 'ls', description: '', parameters: {} }] })
    expect([header, header.config, header.tools?.[0]].every(Object.isFrozen)).toBe(true)
  })

  it('is the last one', () => {
    expect(fold(requestHeader({ system: 'a' }), requestHeader({ system: 'b' }), start(1)).header?.system).toBe('b')
  })

  it('is absent before the first one', () => {
    expect(fold(start(1)).header).toBeUndefined()
  })
})

describe('a request context', () => {
  it('is the last one as a whole: a window named before does not stay', () => {
    const context = { provider: 'p', model: 'm' }
    const type = 'request/context'
    const folded = fold({ type, data: { ...context, contextWindow: 1000 } }, { type, data: context })
    expect(folded.context).toStrictEqual(context)
  })
})
