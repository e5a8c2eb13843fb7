import fc from 'fast-check'
import { deriveEventMessage, foldSurface } from 'idb-sessions/log'
import { describe, expect, it } from 'vitest'
import { GrowingLog } from '../../lib/log/growing.js'
import { assistant, log, realLog, replacing, requestHeader, start, turn, user } from './support.js'

/** A log of all but its last event, and that event. */
const allButLast = (events = log(turn(1))): [GrowingLog, () => void] => {
  const growing = new GrowingLog(events.slice(0, -1))
  return [growing, () => growing.push(events.at(-1)!)]
}

describe('a growing log', () => {
  it('gives the same array of events until it grows', () => {
    const [growing] = allButLast()
    expect(growing.events).toBe(growing.events)
  })

  it('never changes an array that it gave', () => {
    const [growing, grow] = allButLast()
    const before = growing.events
    grow()
    expect([before.length, growing.events.length]).toEqual([2, 3])
  })

  it('gives frozen arrays', () => {
    const [growing] = allButLast()
    expect([growing.events, growing.messages, growing.surface.nodes].every(Object.isFrozen)).toBe(true)
  })

  it('gives the same messages while only other events come', () => {
    const [growing, grow] = allButLast()
    const before = growing.messages
    grow()
    expect(growing.messages).toBe(before)
  })

  it('keeps the same message objects when messages come', () => {
    const [growing, grow] = allButLast(log(user('a'), user('b')))
    const [before] = growing.messages
    grow()
    expect(growing.messages[0]).toBe(before)
  })

  it('counts replacements', () => {
    const growing = new GrowingLog(log(user('a'), replacing(user('b'), 0, 0, [0])))
    expect(growing.surface).toEqual({ nodes: [1], replaceGeneration: 1 })
  })

  it('knows its open turn and the next one', () => {
    expect(new GrowingLog(log(turn(1), start(2))).turn).toEqual({ open: 2, next: 3 })
  })

  it('knows the last request header and context', () => {
    const context = { provider: 'p', model: 'm' }
    const growing = new GrowingLog(log(requestHeader({ system: 's' }), { type: 'request/context', data: context }))
    expect([growing.requestHeader?.system, growing.requestContext]).toEqual(['s', context])
  })

  it('folds a long log in slices, with a pause after each, to the same', async () => {
    const events = log(...Array.from({ length: 4000 }, (_, i) => turn(i + 1)).flat())
    const growing = new GrowingLog([...events])
    let pauses = 0
    await growing.fold(async () => void pauses++)
    const plain = new GrowingLog(events)
    expect(growing.transcript).toEqual(plain.transcript)
    expect([growing.surface, pauses]).toEqual([plain.surface, Math.floor(events.length / 5000)])
  })

  it('has folds that do not depend on when they are first asked for', () => {
    const folds = (growing: GrowingLog): unknown => [
      growing.surface,
      growing.messages,
      growing.turn,
      growing.requestHeader,
    ]
    fc.assert(
      fc.property(realLog, (events) => {
        const asked = new GrowingLog([])
        for (const event of events) {
          asked.push(event)
          folds(asked)
        }
        expect(folds(asked)).toEqual(folds(new GrowingLog(events)))
      }),
    )
  })

  it('tells the model what the surface says', () => {
    fc.assert(
      fc.property(realLog, (events) => {
        const told = foldSurface(events).nodes.map((seq) => deriveEventMessage(events[seq]!))
        expect(new GrowingLog(events).messages).toEqual(told)
      }),
    )
  })

  it('leaves an answer without content out of the messages, not off the surface', () => {
    const growing = new GrowingLog(log(user('a'), assistant([])))
    expect([growing.surface.nodes, growing.messages.length]).toEqual([[0, 1], 1])
  })

  it('shared by another begins it with the same events', () => {
    const events = log(turn(1), turn(2))
    expect(new GrowingLog([...events]).share(3).events).toEqual(events.slice(0, 3))
  })

  it('shared by another goes its own way from there, and so does the other', () => {
    fc.assert(
      fc.property(realLog, realLog, fc.nat(), fc.array(fc.nat()), (events, more, at, looks) => {
        const length = at % (events.length + 1)
        const parent = new GrowingLog([...events])
        const child = parent.share(length)
        const grandchild = child.share(length)
        more.forEach((event, i) => {
          parent.push(event)
          child.push({ ...event, seq: length + i })
          if (looks.includes(i)) void [child.current, grandchild.current]
        })
        const own = more.map((event, i) => ({ ...event, seq: length + i }))
        expect([parent.events, child.events, grandchild.events]).toEqual([
          [...events, ...more],
          [...events.slice(0, length), ...own],
          events.slice(0, length),
        ])
      }),
    )
  })

  it('shared by another gives single events and slices across the seam', () => {
    const events = log(turn(1), turn(2))
    const child = new GrowingLog(events.slice(0, 3)).share(2)
    for (const event of events.slice(2)) child.push(event)
    expect([child.at(1), child.at(2), child.at(-1), child.length]).toEqual([
      events[1],
      events[2],
      undefined,
      events.length,
    ])
    expect([child.slice(3), child.slice(1, 3), child.slice(-1)]).toEqual([
      events.slice(3),
      events.slice(1, 3),
      events.slice(-1),
    ])
  })
})
