/**
 * Random sequences of operations on the published DSH packages and on this library, side by side: what each operation
 * gives, with which error it is refused, and all that can be seen of the sessions after it.
 */
import fc from 'fast-check'
import { deleteDB } from 'idb'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { missing, Oracle, type Operation, type Result } from './connect.mjs'
import { seed } from '../model/seed.js'
import { Library } from './library.js'
import { settle, type Plan } from './plans.js'
import { sequences } from './sequences.js'
import { T0 } from './values.mjs'

const SEQUENCES = 2000

/** What a refusal is about, and the code that says so here: a plain error of DSH has none (`api`, Errors). */
const CODES: Record<string, string> = {
  id: 'SESSION_ALREADY_EXISTS',
  seed: 'INVALID_EVENT',
  header: 'INVALID_HEADER',
  event: 'INVALID_EVENT',
  liveness: 'SESSION_NOT_LIVE',
  storage: 'SESSION_NOT_FOUND',
}

const NEEDED: Record<string, string[]> = {
  create: ['SESSION_ALREADY_EXISTS', 'INVALID_EVENT', 'INVALID_HEADER'],
  append: ['INVALID_EVENT', 'SESSION_NOT_LIVE'],
  fork: ['SESSION_ALREADY_EXISTS', 'SESSION_NOT_FOUND', 'SESSION_NOT_LIVE', 'INVALID_BOUNDARY', 'OPEN_TURN'],
  reload: ['SESSION_NOT_FOUND'],
  dispose: [],
}

let oracle: Oracle

beforeAll(() => {
  if (missing === undefined) oracle = new Oracle()
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterAll(() => {
  vi.useRealTimers()
  oracle?.close()
})

const name = `DSH and this library say the same: ${SEQUENCES} random sequences`
const reason = missing === undefined ? '' : ` (skipped, ${missing})`
test.skipIf(missing !== undefined)(`${name}${reason}`, { timeout: 300_000 }, async () => {
  const reached = new Map<string, number>()
  const property = fc.asyncProperty(sequences, async (plans) => {
    for (const { operation, ours, theirs } of await perform(plans)) {
      expectAgreement(operation, ours, theirs)
      const what = outcome(operation, ours)
      reached.set(what, (reached.get(what) ?? 0) + 1)
    }
  })
  await fc.assert(property, { seed, numRuns: SEQUENCES })
  expectReached(reached)
})

interface Step {
  operation: Operation
  ours: Result
  theirs: Result
}

/** Plans are settled by what there is here; DSH is asked the very same meanwhile. */
async function perform(plans: readonly Plan[]): Promise<Step[]> {
  vi.setSystemTime(T0)
  const library = await Library.open()
  const steps: Omit<Step, 'theirs'>[] = []
  await oracle.ask([{ do: 'reset' }, { do: 'clock', now: T0 }])
  const answers: Promise<Result[]>[] = []
  const take = async (given: Operation): Promise<void> => {
    // As it travels: what JSON drops, neither side sees.
    const operation = JSON.parse(JSON.stringify(given)) as Operation
    answers.push(oracle.ask([operation]))
    steps.push({ operation, ours: await library.perform(operation) })
  }
  try {
    for (const plan of plans) {
      const operation = settle(plan, library.present)
      await take(operation)
      await take({ do: 'state', ids: [operation['id'], operation['source'], operation['child']].filter(isId) })
    }
    const theirs = (await Promise.all(answers)).flat()
    return steps.map((step, i) => ({ ...step, theirs: theirs[i]! }))
  } finally {
    await library.close()
    await deleteDB(library.name)
  }
}

const isId = (id: unknown): id is string => typeof id === 'string'

function expectAgreement(operation: Operation, ours: Result, theirs: Result): void {
  expect(JSON.stringify([operation, ours])).toBe(JSON.stringify([operation, here(theirs, ours)]))
}

/** An answer of DSH as this library gives it. When several things are wrong, either names one of them. */
function here(theirs: Result, ours: Result): Result {
  if (!('error' in theirs) || theirs.error.at === undefined) return theirs
  const codes = theirs.error.at.map((at) => CODES[at]!)
  const code = 'error' in ours && codes.includes(ours.error.code!) ? ours.error.code! : codes[0]!
  return { error: { name: 'SessionStoreError', code } }
}

function outcome({ do: name }: Operation, result: Result): string {
  return 'error' in result ? `${name} ${result.error.code ?? result.error.name}` : name
}

/** Sequences prove little when most of what they do is refused, or when something is never refused. */
function expectReached(reached: ReadonlyMap<string, number>): void {
  const counted = [...reached].filter(([what]) => !what.startsWith('state') && !what.endsWith('NoSession'))
  const sum = (counts: typeof counted): number => counts.reduce((sum, [, count]) => sum + count, 0)
  const all = sum(counted)
  const done = sum(counted.filter(([what]) => !what.includes(' ')))
  const share = `${all} operations, ${Math.round((100 * done) / all)} % of them done`
  console.info(`agreement: seed ${seed}, ${share}, ${JSON.stringify(Object.fromEntries(counted))}`)
  expect(done / all).toBeGreaterThan(0.8)
  const needed = Object.entries(NEEDED).flatMap(([name, codes]) => [name, ...codes.map((code) => `${name} ${code}`)])
  expect(needed.filter((what) => (reached.get(what) ?? 0) < SEQUENCES / 200)).toEqual([])
}
