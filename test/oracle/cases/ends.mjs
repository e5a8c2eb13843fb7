/** The data of a `turn/end` as DSH's reader has it: what it refuses, and the oddest that it takes. */

const DONE = { kind: 'completed' }

export const refusedEnds = {
  'no field': {},
  'no turn': { reason: DONE },
  'turn 0': { turn: 0, reason: DONE },
  'turn -1': { turn: -1, reason: DONE },
  'a fractional turn': { turn: 1.5, reason: DONE },
  'a turn as text': { turn: '1', reason: DONE },
  'a turn beyond the safe integers': { turn: 2 ** 53, reason: DONE },
  'no reason': { turn: 1 },
  'a reason that is text': { turn: 1, reason: 'completed' },
  'a reason that is null': { turn: 1, reason: null },
  'a reason that is an array': { turn: 1, reason: [] },
  'a reason without a kind': { turn: 1, reason: {} },
  'a kind that is no text': { turn: 1, reason: { kind: 1 } },
  'another key': { turn: 1, reason: DONE, more: 1 },
  'another key beside a reason of an application': { turn: 1, reason: { kind: 'mine' }, more: 1 },
  'another key beside an error': { turn: 1, reason: { kind: 'error', error: {} }, more: 1 },
  'turn 0 and a reason of an application': { turn: 0, reason: { kind: 'mine' } },
  'another key in completed': { turn: 1, reason: { kind: 'completed', more: 1 } },
  'another key in blocked': { turn: 1, reason: { kind: 'blocked', more: 1 } },
  'another key in max-tokens': { turn: 1, reason: { kind: 'max-tokens', more: 1 } },
  'another key in interrupted': { turn: 1, reason: { kind: 'interrupted', more: 1 } },
}

export const takenEnds = {
  null: null,
  'an array': [],
  text: 'x',
  'a number': 5,
  'another turn': { turn: 7, reason: DONE },
  'the largest turn': { turn: 2 ** 53 - 1, reason: DONE },
  'its keys in another order': { reason: DONE, turn: 1 },
  'a reason of an application': { turn: 1, reason: { kind: 'mine', more: 1 } },
  'an empty kind': { turn: 1, reason: { kind: '' } },
  'more beside the reason of aborted': { turn: 1, reason: { kind: 'aborted', reason: null, more: 1 } },
  'more beside the error': { turn: 1, reason: { kind: 'error', error: 'x', more: 1 } },
}
