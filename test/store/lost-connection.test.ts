/** Whatever is under way when the browser closes the database or gives a transaction up: nobody notices, nothing is written twice. */
import { Session } from 'idb-sessions'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { log, T0, turn } from '../log/support.js'
import { faultAt, type Fault } from '../support/faults.js'
import { page } from '../support/lifetime.js'
import { inBrowser, openPage } from '../support/page.js'
import { kept, prepared, READS, seen, WRITES, type Act } from '../support/steps.js'
import { clock } from '../conformance/support.js'

/** What there is after the act, which must not fail, with a fault at this step. */
async function outcome(act: Act, step: number, fault: Fault) {
  const opened = await prepared(act)
  const armed = faultAt(step, fault)
  try {
    const answer: unknown = await act.act(opened)
    armed.end()
    // Live sessions are compared by what is stored of them.
    const plain = answer instanceof Session ? answer.events : answer
    return { happened: armed.happened, is: { plain, seen: await seen(opened), kept: await kept(opened) } }
  } finally {
    armed.end()
  }
}

describe.skipIf(inBrowser).each<[Fault, string]>([
  ['aborts', 'a transaction that the browser gives up'],
  ['closes', 'a connection that the browser closes'],
  ['lands unheard', 'a commit that landed, though the connection was closed before it said so'],
])('%s: %s (Node only: IndexedDB of the worker is at hand there)', (fault) => {
  test('at any step of opening', async () => {
    for (let step = 1; ; step++) {
      const { name } = await prepared({ act: async () => {} })
      const armed = faultAt(step, fault)
      const { store } = await openPage({ name }).finally(() => armed.end())
      expect(await store.stored(), `after step ${step}`).toHaveLength(3)
      if (!armed.happened) break
      await store.close()
    }
  })

  test.each([...Object.entries(WRITES), ...Object.entries(READS)])(
    'at any step of %s',
    async (_, act) => {
      clock(T0)
      const { is } = await outcome(act, Infinity, fault)
      for (let step = 1; ; step++) {
        const { happened, is: after } = await outcome(act, step, fault)
        expect(after, `after step ${step}`).toEqual(is)
        if (!happened) break
      }
    },
    60_000,
  )
})

test(
  'a database that cannot be opened again is CONNECTION_LOST: events are kept, and stored as soon as it can (Node only, as above)',
  { skip: inBrowser },
  async () => {
    const { store } = await page()
    const session = await store.create('a', { seed: log(turn(1)) })
    const open = vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
      throw new DOMException('the profile is gone', 'SecurityError')
    })
    onTestFinished(() => open.mockRestore())
    faultAt(1, 'closes')
    session.append('turn/start', { turn: 2 })
    await expect(store.flush(session)).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      message: expect.stringContaining('reload') as string,
    })
    expect([store.status, session.state, session.durable]).toEqual(['failed', 'live', 3])
    open.mockRestore()
    expect(await store.flush(session)).toBe(true)
    expect(store.status).toBe('ready')
  },
)

test(
  'what is rejected since both tries went unheard leaves nothing behind (Node only, as above)',
  { skip: inBrowser },
  async () => {
    const { store } = await page()
    const armed = faultAt(1, 'lands unheard', 2)
    onTestFinished(() => armed.end())
    await expect(store.create('a', { seed: log(turn(1)) })).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
    expect(await store.stored()).toEqual([])
    await store.create('a')
  },
)
