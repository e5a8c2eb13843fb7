import fc from 'fast-check'
import { foldSurface } from 'idb-sessions/log'
import { describe, expect, it } from 'vitest'
import { Surface, toolResultIdentity } from '../../lib/log/surface.js'
import { assistant, type Draft, log, realLog, replacing, result, start, title, user } from './support.js'

/** Why the last of these events may not be where it is. */
const refusal = (...drafts: Draft[]): string | undefined => {
  const events = log(drafts)
  const surface = new Surface((seq) => events[seq]?.data)
  for (const event of events.slice(0, -1)) surface.apply(event)
  return surface.problem(events.at(-1)!)
}
const nodes = (...drafts: Draft[]): number[] => foldSurface(log(drafts)).nodes
const citing = (draft: Draft, sourceEventSeqs: unknown): Draft => ({ ...draft, sourceEventSeqs })

describe('what is only logged', () => {
  it('is no node of the surface', () => {
    expect(nodes(start(1), user('a'), title('t'))).toEqual([1])
  })

  it('takes no surfaceOp', () => {
    expect(refusal({ ...start(1), surfaceOp: 'append' })).toContain('takes no surfaceOp')
  })

  it('takes no sources, not even none', () => {
    expect(refusal(citing(start(1), []))).toContain('takes no sourceEventSeqs')
  })
})

describe('the surfaceOp of a message', () => {
  it.each([
    undefined,
    null,
    'prepend',
    [],
    {},
    { op: 'replace', start: 0 },
    { op: 'replace', start: 0, end: 0, extra: 1 },
    { op: 'append', start: 0, end: 0 },
    { op: 'replace', start: 0.5, end: 0.5 },
    { op: 'replace', start: -1, end: 0 },
    { op: 'replace', start: '0', end: '0' },
  ])('is not %j', (surfaceOp) => {
    expect(refusal(user('a'), { ...user('b'), surfaceOp, sourceEventSeqs: [0] })).toContain('surfaceOp')
  })
})

describe('sources', () => {
  it('of an answer may be none', () => {
    expect(refusal(citing(assistant('a'), []))).toBeUndefined()
  })

  it.each([
    ['user/message', user('a')],
    ['tool/result', result('c')],
  ])('of a %s are absent or not empty', (_type, draft) => {
    expect(refusal(citing(draft, []))).toBe('sourceEventSeqs must not be empty')
  })

  it('may be any earlier events, in any order', () => {
    expect(refusal(start(1), title('t'), title('t'), citing(user('a'), [2, 0]))).toBeUndefined()
  })

  it.each([
    ['an array', { 0: 1 }],
    ['safe integers ≥ 0', [-1, -1]],
    ['safe integers ≥ 0', [0.5]],
    ['safe integers ≥ 0', ['0']],
    ['a duplicate', [0, 0]],
    ['a duplicate', [99, 99]],
    ['not earlier', [1]],
  ])('that break the rule about %s are refused: %j', (rule, sources) => {
    expect(refusal(start(1), citing(user('a'), sources))).toContain(rule)
  })
})

describe('a replacement', () => {
  const abc = [user('a'), user('b'), user('c')]

  it('stands where the shadowed nodes stood', () => {
    expect(nodes(...abc, replacing(user('x'), 0, 1, [0, 1]))).toEqual([3, 2])
  })

  it('is listed with what it shadows', () => {
    const { replacements } = foldSurface(log(abc, replacing(user('x'), 1, 2, [2, 1, 0])))
    expect(replacements).toEqual([{ seq: 3, start: 1, end: 2, shadowedSeqs: [1, 2] }])
  })

  it('cites every node that it shadows', () => {
    expect(refusal(...abc, replacing(user('x'), 1, 2, [1]))).toBe(
      'sourceEventSeqs must list every shadowed node, 2 too',
    )
  })

  it('may cite more', () => {
    expect(refusal(...abc, replacing(user('x'), 1, 2, [0, 1, 2]))).toBeUndefined()
  })

  it('has sources', () => {
    expect(refusal(...abc, replacing(user('x'), 1, 2, undefined))).toContain('must list every shadowed node')
  })

  it.each([
    ['an event that is only logged', [start(1), replacing(user('x'), 0, 0, [0])]],
    [
      'an event that is shadowed already',
      [...abc, replacing(user('x'), 0, 0, [0]), replacing(user('y'), 0, 1, [0, 1])],
    ],
    ['an event that is not there', [replacing(user('x'), 5, 5, [5])]],
  ])('cannot begin at %s', (_name, drafts) => {
    expect(refusal(...drafts)).toMatch(/^start \d is no node/)
  })

  it('cannot end at an event that is no node', () => {
    expect(refusal(user('a'), start(1), replacing(user('x'), 0, 1, [0, 1]))).toBe('end 1 is no node of the surface')
  })

  it('goes by places on the surface, not by seqs', () => {
    const first = replacing(user('x'), 0, 0, [0])
    expect(nodes(...abc, first, replacing(user('y'), 3, 1, [3, 1]))).toEqual([4, 2])
  })

  it('cannot begin after its end', () => {
    expect(refusal(...abc, replacing(user('x'), 2, 1, [1, 2]))).toBe('start comes after end on the surface')
  })
})

describe('a replaced tool result', () => {
  it('may change the content of its block', () => {
    expect(refusal(result('c'), replacing(result('c', 'shorter'), 0, 0, [0]))).toBeUndefined()
  })

  it('may change it again', () => {
    const once = replacing(result('c', '1'), 0, 0, [0])
    expect(refusal(result('c'), once, replacing(result('c', '2'), 1, 1, [1]))).toBeUndefined()
  })

  it.each([
    ['its call', result('d')],
    ['its meta', result('c', 'done', { meta: 1 })],
    ['its error', result('c', 'done', { error: { name: 'E', code: 'E' } })],
    ['its step', result('c', 'done', { step: 2 })],
  ])('keeps %s', (_name, changed) => {
    expect(refusal(result('c'), replacing(changed, 0, 0, [0]))).toContain('must keep everything but the content')
  })

  it.each([
    ['a prompt', [user('a')]],
    ['two results', [result('c'), result('d')]],
  ])('does not take the place of %s', (_name, before) => {
    const seqs = before.map((_, seq) => seq)
    expect(refusal(...before, replacing(result('c'), 0, seqs.at(-1)!, seqs))).toBe(
      'a tool result replaces exactly one tool result',
    )
  })

  it('does not take the place of a prompt that looks like a result', () => {
    const data = { ...(user('a').data as object), ...(result('c').data as object) }
    const disguised = [{ ...user('a'), data }, replacing({ ...result('c'), data }, 0, 0, [0])]
    expect(refusal(...disguised)).toBe('a tool result replaces exactly one tool result')
  })

  it('is known by its identity alone, so that an importer need not keep contents', () => {
    const [before, after] = log(result('c', 'long'), result('c', 'short'))
    expect(toolResultIdentity(before!)).toEqual(toolResultIdentity(after!))
  })
})

describe('the surface of a log', () => {
  it('refuses a log that breaks a rule, and names the event', () => {
    expect(() => foldSurface(log(start(1), citing(start(2), [])))).toThrow(/^event 1: /)
  })

  it('refuses a log whose seqs are not its positions', () => {
    expect(() => foldSurface(log(start(1), start(2)).slice(1))).toThrow('event 0: seq is 1')
  })

  it('is the seqs of its messages when nothing was replaced', () => {
    fc.assert(
      fc.property(realLog, (events) => {
        const messages = events.filter((event) => 'surfaceOp' in event).map((event) => event.seq)
        expect(foldSurface(events).nodes).toEqual(messages)
      }),
    )
  })

  it('holds, with what was shadowed, every message once', () => {
    const picks = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(picks, (picks) => {
        const drafts = [user('a'), user('b'), user('c')]
        for (const [from, length] of picks) {
          const now = nodes(...drafts)
          const shadowed = now.slice(from % now.length).slice(0, 1 + (length % 3))
          drafts.push(replacing(user('x'), shadowed[0]!, shadowed.at(-1)!, shadowed))
        }
        const { nodes: left, replacements } = foldSurface(log(drafts))
        const all = [...left, ...replacements.flatMap(({ shadowedSeqs }) => shadowedSeqs)]
        expect(all.toSorted((a, b) => a - b)).toEqual(drafts.map((_, seq) => seq))
      }),
    )
  })

  it('gives the same array of nodes until they change', () => {
    const surface = new Surface(() => undefined)
    const before = surface.nodes
    for (const event of log(start(1))) surface.apply(event)
    expect(surface.nodes).toBe(before)
  })
})
