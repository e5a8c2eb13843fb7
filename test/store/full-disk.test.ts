/** No room at any step of anything that is written: a typed error, nothing half done, and all of it once there is room. */
import { describe, expect, test } from 'vitest'
import { T0 } from '../log/support.js'
import { faultAt } from '../support/faults.js'
import { page, tab } from '../support/lifetime.js'
import { appendTurn, beginTurn } from '../support/logs.js'
import { inBrowser } from '../support/page.js'
import { kept, prepared, seen, WRITES } from '../support/steps.js'
import { clock } from '../conformance/support.js'

const FULL = { name: 'SessionStoreError', code: 'STORAGE_FULL' }
/** Those that can simply be called again. */
const CALLS = Object.entries(WRITES).filter(
  ([name]) => !['append and flush', 'release of a reservation'].includes(name),
)

describe.skipIf(inBrowser)(
  'no room, at a request or only at the commit (Node only: IndexedDB is at hand there)',
  () => {
    test.each(CALLS)('for %s', { timeout: 60_000 }, async (_, act) => {
      clock(T0)
      const whole = await prepared(act)
      const before = { seen: await seen(whole), kept: await kept(whole) }
      await act.act(whole)
      const after = await seen(whole)
      for (let step = 1; ; step++) {
        const opened = await prepared(act)
        const armed = faultAt(step, 'full')
        const failure: unknown = await act.act(opened).catch((error: unknown) => error)
        armed.end()
        if (!armed.happened) break
        expect(failure, `at step ${step}`).toMatchObject(FULL)
        expect(opened.store.status).toBe('full')
        // What was staged is dropped by a call that nobody waits for.
        await opened.connection.call('ping')
        expect({ seen: await seen(opened), kept: await kept(opened) }, `after step ${step}`).toEqual(before)
        await act.act(opened)
        expect(await seen(opened)).toEqual(after)
      }
    })

    test('for events: they are kept, and stored by the next flush, each once', async () => {
      for (let step = 1; ; step++) {
        const opened = await page()
        const session = await opened.store.create('a')
        appendTurn(session, 'hi', 'hello')
        await opened.store.flush(session)
        const { durable } = session
        const armed = faultAt(step, 'full')
        beginTurn(session, 'more')
        const failure: unknown = await opened.store.flush(session).catch((error: unknown) => error)
        armed.end()
        if (!armed.happened) break
        expect(failure, `at step ${step}`).toMatchObject(FULL)
        expect(session.state).toBe('live')
        expect(session.durable).toBeGreaterThanOrEqual(durable)
        expect(await opened.store.flush(session)).toBe(true)
        const { events } = await (await tab(opened)).store.inspect('a')
        expect(events.slice(0, session.seq)).toEqual(session.events)
      }
    })
  },
)
