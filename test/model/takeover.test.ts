/* oxlint-disable vitest/no-conditional-expect -- what is to be expected depends on the sequence */
/** Two pages and one session: whoever loads it last has it, and nothing that was durable is lost. */
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { interruptedTurnClosers, lastForkPoint, SessionStoreError, type Session, type SessionEvent } from 'idb-sessions'
import { inBrowser, openPage, type Page } from '../support/page.js'
import { openShapes, shapes, streamChunks, type Shape } from '../support/shapes.js'
import { ticks } from './compare.js'
import { messagesOf } from './model.js'
import { seed } from './seed.js'

const SHAPES: Record<string, Shape> = { ...shapes, ...openShapes, tokens: streamChunks }

interface Round {
  /** What the owner appends, and how long it waits after each. */
  appends: { shape: string; size: number; after: number }[]
  flush: boolean
  /** How the overtaken page finds out. */
  probe: 'append' | 'fork' | 'flush'
}

const rounds: fc.Arbitrary<Round[]> = fc.array(
  fc.record({
    appends: fc.array(
      fc.record({ shape: fc.constantFrom(...Object.keys(SHAPES)), size: fc.nat(5), after: fc.nat(6) }),
      { maxLength: 5 },
    ),
    flush: fc.boolean(),
    probe: fc.constantFrom('append' as const, 'fork' as const, 'flush' as const),
  }),
  { minLength: 1, maxLength: 6 },
)

const numRuns = inBrowser ? 60 : 300

test(
  `a load in another page takes over without losing what was durable: ${numRuns} sequences`,
  {
    timeout: 120_000,
  },
  async () => {
    const first = await openPage()
    const second = await openPage({ name: first.name })
    onTestFinished(() => {
      for (const { connection } of [first, second]) connection.end(new Error('the test is over'))
    })
    let unsent = 0
    const property = fc.asyncProperty(rounds, async (rounds) => {
      const id = crypto.randomUUID()
      let owner = first
      let session = await owner.store.create(id, { seed: [] })
      for (const { appends, flush, probe } of rounds) {
        for (const { shape, size, after } of appends) {
          SHAPES[shape]!(session, size)
          await ticks(after ** 2)
        }
        if (flush) await owner.store.flush(session)
        const other = owner === first ? second : first
        const taken = await loadUntilQuiet(other, id)
        await expectOvertaken(owner, session, probe)
        unsent += session.durable < session.seq ? 1 : 0
        expectContinues(taken, session.events, session.durable)
        owner = other
        session = taken
      }
      await owner.store.flush(session)
      const { events } = await (owner === first ? second : first).store.inspect(id)
      expect(events).toEqual([...session.events, ...interruptedTurnClosers(session.events)])
      await owner.store.delete(id)
    })
    await fc.assert(property, { seed, numRuns })
    console.info(`takeover: seed ${seed}, ${numRuns} sequences; ${unsent} times events stayed behind`)
    expect(unsent).toBeGreaterThan(0)
  },
)

/** A load that meets append after append gives up with a conflict, and is tried again. */
async function loadUntilQuiet({ store }: Page, id: string): Promise<Session> {
  for (;;) {
    try {
      return await store.load(id)
    } catch (error) {
      expect(error).toMatchObject({ code: 'SESSION_CONFLICT' })
    }
  }
}

/** The overtaken session keeps what it has, and refuses every further word. */
async function expectOvertaken({ store }: Page, session: Session, probe: Round['probe']): Promise<void> {
  const end = lastForkPoint(session.events)
  if (probe === 'fork' && end !== undefined) {
    const fork = store.fork(session, end)
    await expect(fork).rejects.toMatchObject({ code: 'SESSION_NOT_LIVE' })
  }
  const durable = session.durable === session.seq
  if (probe === 'flush' && session.state === 'live' && !durable) {
    await expect(store.flush(session)).rejects.toMatchObject({ code: 'SESSION_CONFLICT' })
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
