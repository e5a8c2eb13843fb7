/** What is printed as lost and doubled is counted: a log that lacks events, or has one twice, is told from a whole one. */
import type { SessionEvent } from 'idb-sessions'
import { expect, test } from 'vitest'
import { expectedOf, type Life } from './ledger.js'
import { Toll } from './toll.js'

const life: Life = { id: 'a', base: [], plan: { seed: 1, turn: 1, least: 10, most: 100 }, durable: 5, flushed: 0 }
const whole = expectedOf(life, 5) as SessionEvent[]

test('a whole log costs nothing', () => {
  expect(new Toll().count(life, { events: whole, stored: 5 }, 5)).toEqual({ lost: 0, doubled: 0 })
})

test('events that were safe and are not there are lost, each of them', () => {
  expect(new Toll().count(life, { events: whole.slice(0, 3), stored: 3 }, 5)).toEqual({ lost: 2, doubled: 0 })
})

test('a session that is not there has lost all that was safe', () => {
  expect(new Toll().count(life, undefined, 5)).toEqual({ lost: 5, doubled: 0 })
})

test('an event in the middle that is missing is lost, though those after it are there', () => {
  expect(new Toll().count(life, { events: whole.toSpliced(2, 1), stored: 4 }, 5)).toEqual({ lost: 1, doubled: 0 })
})

test('an event that is there again is doubled', () => {
  expect(new Toll().count(life, { events: [...whole, whole[4]!], stored: 6 }, 5)).toEqual({ lost: 0, doubled: 1 })
})

test('the toll is the sum over all sessions, of which only what they added counts as safe', () => {
  const toll = new Toll()
  toll.count(life, { events: whole, stored: 5 }, 5)
  toll.count({ ...life, base: whole.slice(0, 2) }, undefined, 2)
  expect(toll).toEqual({ safe: 5, lost: 2, doubled: 0 })
})
