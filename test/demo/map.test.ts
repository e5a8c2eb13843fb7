import type { Branch, SessionEvent, SessionId, SessionStore } from 'idb-sessions'
import { expect, test } from 'vitest'
import { readMap } from '../../demo/map/branchMap'

/** Of each turn. */
const EVENTS = 3

/** A log with a turn for each prompt. */
function logOf(prompts: readonly string[]): SessionEvent[] {
  const events = prompts.flatMap((text, i) => {
    const turn = i + 1
    const content = [{ type: 'text', text }]
    return [
      { type: 'turn/start', data: { turn } },
      {
        type: 'user/message',
        data: { id: text, role: 'user', content, source: { kind: 'user' } },
        surfaceOp: 'append',
      },
      { type: 'turn/end', data: { turn, reason: { kind: 'completed' } } },
    ]
  })
  return events.map((event, seq) => ({ ...event, seq, time: seq })) as SessionEvent[]
}

/** What is drawn of a family: a line for each turn, `lane column label`, and from where. */
async function draw(
  logs: Record<SessionId, readonly string[]>,
  branches: readonly [id: SessionId, sharedWith: SessionId, turns: number][],
): Promise<{ turns: string[]; ends: (string | undefined)[] }> {
  const store = {
    branches: async () =>
      branches.map(([id, sharedWith, turns]): Branch => ({ id, sharedWith, shared: turns * EVENTS, own: 0 })),
    inspect: async (id: SessionId) => ({ header: undefined, events: logOf(logs[id]!) }),
  } as unknown as SessionStore
  const { nodes, lanes } = await readMap(store, 'a')
  const at = (place: { lane: number; column: number } | undefined) => place && `${place.lane} ${place.column}`
  return {
    turns: nodes.map((node) => `${at(node)} ${node.label}${node.from ? ` from ${at(node.from)}` : ''}`),
    ends: lanes.map(({ end }) => at(end)),
  }
}

test('a branch of a branch leads from the turn that it goes on from, in whichever lane that is', async () => {
  const { turns, ends } = await draw({ a: ['one', 'two'], b: ['one', 'other', 'more'], c: ['one', 'other', 'else'] }, [
    ['b', 'a', 1],
    ['c', 'b', 2],
  ])
  expect(turns).toEqual(['0 0 one', '0 1 two from 0 0', '1 1 other from 0 0', '1 2 more from 1 1', '2 2 else from 1 1'])
  expect(ends).toEqual(['0 1', '1 2', '2 2'])
})

test('a branch without a turn of its own ends in the turn of another one', async () => {
  const { turns, ends } = await draw({ a: ['one', 'two'], b: ['one'] }, [['b', 'a', 1]])
  expect(turns).toEqual(['0 0 one', '0 1 two from 0 0'])
  expect(ends).toEqual(['0 1', '0 0'])
})

test('a branch that began anew has a first turn of its own', async () => {
  const { turns } = await draw({ a: ['one'], b: ['first'] }, [['b', 'a', 0]])
  expect(turns).toEqual(['0 0 one', '1 0 first'])
})

test('a session without a turn has an empty map', async () => {
  expect(await draw({ a: [] }, [])).toEqual({ turns: [], ends: [undefined] })
})
