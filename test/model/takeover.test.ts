/* oxlint-disable vitest/no-conditional-expect -- what is to be expected depends on the sequence */
/** Two pages and one session, which goes to and fro: whoever has it last may write it, and nothing that was durable is lost. */
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { interruptedTurnClosers, lastForkPoint, SessionStoreError, type Session, type SessionEvent } from 'idb-sessions'
import { overtake } from '../support/behind.js'
import { inBrowser, openPage, type Page } from '../support/page.js'
import { expectSame } from '../support/same.js'
import { openShapes, shapes, streamChunks, type Shape } from '../support/shapes.js'
import { ticks } from './compare.js'
import { messagesOf } from './model.js'
import { seed } from './seed.js'

const SHAPES: Record<string, Shape> = { ...shapes, ...openShapes, tokens: streamChunks }

interface Round {
  /** What the owner appends, and how long it waits after each. */
  appends: { shape: string; size: number; after: number }[]
  flush: boolean
}

const round = {
  appends: fc.array(fc.record({ shape: fc.constantFrom(...Object.keys(SHAPES)), size: fc.nat(5), after: fc.nat(6) }), {
    maxLength: 5,
  }),
  flush: fc.boolean(),
}
const length = { minLength: 1, maxLength: 6 }
const numRuns = inBrowser ? 60 : 300

async function two(): Promise<[Page, Page]> {
  const first = await openPage()
  const second = await openPage({ name: first.name })
  onTestFinished(() => {
    for (const { connection } of [first, second]) connection.end(new Error('the test is over'))
  })
  return [first, second]
}

/** A session that goes to the other page in each round. Ends with the check that what is stored is what its last owner has. */
async function hand<R extends Round>(
  pages: readonly [Page, Page],
  rounds: readonly R[],
  over: (from: Page, to: Page, session: Session, round: R) => Promise<Session>,
): Promise<void> {
  const id = crypto.randomUUID()
  let [owner, other] = pages
  let session = await owner.store.create(id, { seed: [] })
  for (const round of rounds) {
    for (const { shape, size, after } of round.appends) {
      SHAPES[shape]!(session, size)
      await ticks(after ** 2)
    }
    if (round.flush) await owner.store.flush(session)
    session = await over(owner, other, session, round)
    ;[owner, other] = [other, owner]
  }
  await owner.store.flush(session)
  const view = await other.store.follow(id)
  expectSame(view.events, session.events)
  view.close()
  await owner.store.delete(id)
}

test(`whoever is overtaken loses nothing that was durable: ${numRuns} sequences`, { timeout: 120_000 }, async () => {
  const pages = await two()
  /** How the overtaken page finds out. */
  const probe = fc.constantFrom('append' as const, 'fork' as const, 'flush' as const)
  let unsent = 0
  const property = fc.asyncProperty(fc.array(fc.record({ ...round, probe }), length), (rounds) =>
    hand(pages, rounds, async (from, to, session, { probe }) => {
      await overtake(to, session.id)
      await expectOvertaken(from, session, probe)
      unsent += session.durable < session.seq ? 1 : 0
      const taken = await to.store.load(session.id)
      expectContinues(taken, session.events, session.durable)
      return taken
    }),
  )
  await fc.assert(property, { seed, numRuns })
  console.info(`takeover: seed ${seed}, ${numRuns} sequences; ${unsent} times events stayed behind`)
  expect(unsent).toBeGreaterThan(0)
})

test(`whoever is asked to let go loses nothing at all: ${numRuns} sequences`, { timeout: 120_000 }, async () => {
  const pages = await two()
  let unsent = 0
  /** What the owner appends after it was asked, and how long after. */
  const late = fc.option(fc.record({ shape: fc.constantFrom(...Object.keys(SHAPES)), after: fc.nat(3) }), {
    nil: undefined,
  })
  const property = fc.asyncProperty(fc.array(fc.record({ ...round, late }), length), (rounds) =>
    hand(pages, rounds, async (from, to, session, { late }) => {
      unsent += session.durable < session.seq ? 1 : 0
      const taking = to.store.load(session.id, { takeOver: true })
      if (late !== undefined) {
        await ticks(late.after)
        if (session.state === 'live') SHAPES[late.shape]!(session, 1)
      }
      const taken = await taking
      expect(session).toMatchObject({ state: 'released', durable: session.seq })
      expect(from.store.get(session.id)).toBeUndefined()
      expectSame(taken.events, [...session.events, ...interruptedTurnClosers(session.events)])
      expect(taken.deriveMessages()).toEqual(messagesOf(taken.events))
      return taken
    }),
  )
  await fc.assert(property, { seed, numRuns })
  console.info(`takeover in order: seed ${seed}, ${numRuns} sequences; ${unsent} times with events not stored yet`)
  expect(unsent).toBeGreaterThan(0)
})

/** The overtaken session keeps what it has, and refuses every further word. */
async function expectOvertaken({ store }: Page, session: Session, probe: 'append' | 'fork' | 'flush'): Promise<void> {
  const end = lastForkPoint(session.events)
  if (probe === 'fork' && end !== undefined) {
    const fork = store.fork(session, end)
    await expect(fork).rejects.toMatchObject({ code: 'SESSION_NOT_LIVE' })
  }
  const durable = session.durable === session.seq
  if (probe === 'flush' && session.state === 'live' && !durable) {
    const code = await store.flush(session).then(
      () => 'stored',
      ({ code }: SessionStoreError) => code,
    )
    // What was on its way in that moment may have landed before, all of it.
    if (session.durable < session.seq) expect(code).toBe('SESSION_CONFLICT')
  }
  if (session.state === 'live') {
    session.append('session/title', { title: 'too late', messageSeqs: [], source: { kind: 'user' } })
    await expect(store.flush(session)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' })
  }
  expect(session.state).toBe('conflict')
  const { seq } = session
  const append = () => session.append('turn/start', { turn: 1 })
  expect(append).toThrow(SessionStoreError)
  expect(append).toThrow(expect.objectContaining({ code: 'SESSION_CONFLICT' }))
  expect(session.events).toHaveLength(seq)
  expect(store.get(session.id)).toBeUndefined()
  await expect(store.flush(session)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' })
}

/** The log that was taken over is a prefix of the old one with all of its durable events, then its closers. */
function expectContinues(taken: Session, events: readonly SessionEvent[], durable: number): void {
  const texts = events.map((event) => JSON.stringify(event))
  const got = taken.events.map((event) => JSON.stringify(event))
  let common = 0
  while (common < Math.min(got.length, texts.length) && got[common] === texts[common]) common++
  expect(common).toBeGreaterThanOrEqual(durable)
  expect(taken.events.slice(common)).toEqual(interruptedTurnClosers(taken.events.slice(0, common)))
  expect(taken.deriveMessages()).toEqual(messagesOf(taken.events))
}
