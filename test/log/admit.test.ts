import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { admitAppend, admitSeed, ownTypesProblem } from '../../lib/log/admit.js'
import { MAX_EVENT_BYTES } from '../../lib/log/check.js'
import { acceptedLog, log, nested, realLog, start, turn, user } from './support.js'

const NONE: ReadonlySet<string> = new Set()
const OWN: ReadonlySet<string> = new Set(['my/event', 'user/message'])
const append = (type: unknown, data: unknown, intent?: object, own = NONE): object =>
  admitAppend({ type, data, intent }, 7, 70, own)

describe('an append', () => {
  it('becomes an event in the order of keys that DSH writes', () => {
    const intent = { surfaceOp: 'append', sourceEventSeqs: [1] }
    expect(JSON.stringify(append('user/message', user('hi').data, intent))).toMatch(
      /^\{"event":\{"type":"user\/message","seq":7,"time":70,"data":.*,"sourceEventSeqs":\[1\],"surfaceOp":"append"\}\}$/,
    )
  })

  it('is a copy that later changes do not reach', () => {
    const data = { turn: 1 }
    const admitted = append('turn/start', data)
    data.turn = 2
    expect(admitted).toEqual({ event: { type: 'turn/start', seq: 7, time: 70, data: { turn: 1 } } })
  })

  it('is frozen, also deep inside', () => {
    const { event } = append('todo/write', { todos: [{}] }) as { event: { data: { todos: object[] } } }
    expect(Object.isFrozen(event.data.todos[0])).toBe(true)
  })

  it('of a known type is not ignorable, also when the application names it', () => {
    expect(append('user/message', user('hi').data, { surfaceOp: 'append' }, OWN)).not.toHaveProperty('event.ignorable')
  })

  it("of an application's own type is ignorable", () => {
    expect(append('my/event', null, undefined, OWN)).toHaveProperty('event.ignorable', true)
  })

  it('of an unknown type is refused', () => {
    expect(append('my/event', null)).toHaveProperty('reason', expect.stringContaining('unknown event type'))
  })

  it.each([undefined, 5, null])('of the type %j is refused', (type) => {
    expect(append(type, null)).toHaveProperty('reason')
  })

  it.each([-0, undefined, Number.NaN, new Date(0)])('with data %j, no lossless JSON, is refused', (data) => {
    expect(append('todo/write', data)).toHaveProperty('reason', expect.stringContaining('lossless JSON'))
  })

  it.each([
    [500, 'event'],
    [501, 'reason'],
  ])('with %i levels of nesting in its data gives an %s', (levels, outcome) => {
    expect(append('todo/write', nested(levels))).toHaveProperty(outcome)
  })

  it.each([
    ['as large as can be', 0, 'event'],
    ['one byte larger', 1, 'reason'],
  ])('%s gives an %s', (_name, more, outcome) => {
    const room = MAX_EVENT_BYTES - JSON.stringify({ type: 'todo/write', seq: 7, time: 70, data: '' }).length
    expect(append('todo/write', 'x'.repeat(room + more))).toHaveProperty(outcome)
  })

  it('counts its size in bytes of UTF-8', () => {
    expect(append('todo/write', '€'.repeat(MAX_EVENT_BYTES / 3))).toHaveProperty('reason')
  })
})

describe('a seed', () => {
  it('that is a log makes the same log', () => {
    fc.assert(
      fc.property(fc.oneof(realLog, acceptedLog), (events) => {
        expect(admitSeed(events, NONE)).toHaveProperty('log.current', events)
      }),
    )
  })

  it('may end in an open turn', () => {
    expect(admitSeed(log(start(1)), NONE)).toHaveProperty('log.length', 1)
  })

  it('is an array', () => {
    expect(admitSeed({ length: 0 }, NONE)).toEqual({ index: 0, reason: 'a seed must be an array of events' })
  })

  it('with a gap is refused at the event after it', () => {
    const [first, , third] = log(turn(1))
    expect(admitSeed([first, third], NONE)).toEqual({ index: 1, reason: 'its seq is 2' })
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['an extra key', { ...log(start(2))[0], seq: 1, extra: 1 }],
    ['a fraction of a millisecond', { ...log(start(2))[0], seq: 1, time: 0.5 }],
    ['a message without a surfaceOp', { ...log(user('hi'))[0], seq: 1, surfaceOp: undefined }],
    ['an unknown type', { ...log(start(2))[0], seq: 1, type: 'my/event' }],
  ])('with %s at 1 is refused there', (_name, event) => {
    expect(admitSeed([...log(start(1)), event], NONE)).toHaveProperty('index', 1)
  })

  it('may hold unknown types that are ignorable', () => {
    expect(admitSeed(log({ type: 'x', data: 1, ignorable: true }), NONE)).toHaveProperty('log.length', 1)
  })

  it("makes events of the application's own types ignorable", () => {
    const own = admitSeed(log({ type: 'my/event', data: 1 }), OWN)
    expect(own).toHaveProperty('log.current.0.ignorable', true)
  })
})

describe("the names of an application's own event types", () => {
  it('may be anything that reads as an event of a file', () => {
    expect(ownTypesProblem(['my/event', 'user/message'])).toBeUndefined()
  })

  it.each(['', 5, 'mode/set', 'text-chunks'])('cannot hold %j', (type) => {
    expect(ownTypesProblem([type])).toBeTypeOf('string')
  })
})
