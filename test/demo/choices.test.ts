import { describe, expect, test } from 'vitest'
import type { Branch, StoredSession } from 'idb-sessions'
import { findChoices } from '../../demo/branches/choices'

// Three turns, that begin at 0, 10 and 20.
const STARTS = [0, 10, 20]

describe('the ways on from a turn', () => {
  test('are the session and its forks, oldest first, whichever is on the screen', () => {
    const sessions = [stored('a', 30), stored('b', 25, 'a', 10), stored('c', 25, 'a', 10)]
    const [a, b, c] = [
      findChoices('a', STARTS, [branch('b', 'a', 10), branch('c', 'a', 10)], sessions),
      findChoices('b', [0, 10], [branch('a', 'b', 10), branch('c', 'b', 10)], sessions),
      findChoices('c', [0, 10], [branch('a', 'c', 10), branch('b', 'c', 10)], sessions),
    ]
    for (const choices of [a, b, c]) expect(ways(choices, 1)).toEqual(['a', 'b', 'c'])
    expect([a, b, c].map((choices) => choices.get(1)!.at)).toEqual([0, 1, 2])
    expect([...a.keys()]).toEqual([1])
  })

  test('count a fork of a fork with the fork, and open what was used last', () => {
    const sessions = [stored('a', 30), stored('b', 30, 'a', 10), { ...stored('b2', 30, 'b', 20), lastTime: 1e6 }]
    const a = findChoices('a', STARTS, [branch('b', 'a', 10), branch('b2', 'b', 20)], sessions)
    expect(ways(a, 1)).toEqual(['a', 'b2'])
    // Seen from there, it parts from b first, then with b from a.
    const b2 = findChoices('b2', STARTS, [branch('a', 'b2', 10), branch('b', 'b2', 20)], sessions)
    expect(b2.get(1)).toMatchObject({ at: 1 })
    expect(ways(b2, 2)).toEqual(['b', 'b2'])
  })

  test('count sessions that end alike as one, so that a fork that has not gone on is no way of its own', () => {
    const ended = [stored('a', 10), stored('b', 10, 'a', 10), stored('c', 10, 'a', 10)]
    const branches = [branch('b', 'a', 10), branch('c', 'a', 10)]
    expect(findChoices('a', [0], branches, ended).size).toBe(0)
    const goneOn = [...ended.slice(0, 2), stored('c', 20, 'a', 10)]
    const choices = findChoices('a', [0], branches, goneOn)
    expect(choices.get(1)).toMatchObject({ at: 0, ways: { length: 2 } })
  })

  test('of a first turn are known from the headers, also through a fork of each', () => {
    const sessions = [
      stored('a', 30),
      stored('a2', 30, 'a', 10),
      stored('b', 30, 'a2', 0),
      stored('b2', 30, 'b', 20),
      stored('stranger', 30),
    ]
    const a = findChoices('a', STARTS, [branch('a2', 'a', 10)], sessions)
    expect(a.get(0)).toMatchObject({ at: 0, ways: { length: 2 } })
    const b2 = findChoices('b2', STARTS, [branch('b', 'b2', 20)], sessions)
    expect(b2.get(0)).toMatchObject({ at: 1, ways: { length: 2 } })
  })

  test('are none where a file says of two sessions that each is the other’s parent', () => {
    const sessions = [stored('a', 30, 'b', 10), stored('b', 30, 'a', 10)]
    expect(findChoices('a', STARTS, [], sessions).size).toBe(0)
  })
})

function ways(choices: ReturnType<typeof findChoices>, place: number): string[] | undefined {
  return choices.get(place)?.ways.map(({ header }) => header.id)
}

function branch(id: string, sharedWith: string, shared: number): Branch {
  return { id, sharedWith, shared, own: 1 }
}

let clock = 0

function stored(id: string, length: number, parentSession?: string, seedLength?: number): StoredSession {
  const fork = parentSession === undefined ? {} : { parentSession, seedLength: seedLength! }
  const header = { version: 0, id, createdAt: clock++, ...fork }
  return { header, length, own: length - (seedLength ?? 0), lastTime: clock, openTurn: false, writer: 'none' }
}
