/** A page over plain http: no Web Locks, no `crypto.randomUUID`, and everything works. */
import { describe, expect, test } from 'vitest'
import { launch, levelDB, openTab, sqlite } from './browser.js'
import { find } from './ledger.js'

const HOST = 'agent.example'

describe.for([levelDB, sqlite])('over plain http', (engine) => {
  test(`${engine.title}: a session is created, written, forked, exported, imported, loaded again and deleted`, async () => {
    const context = await launch(engine, undefined, { args: [`--host-resolver-rules=MAP ${HOST} 127.0.0.1`] })
    const page = await openTab(context, HOST)
    expect(await page.evaluate(() => [isSecureContext, 'locks' in navigator, 'randomUUID' in crypto])).toEqual([
      false,
      false,
      false,
    ])
    const done = await page.evaluate(async () => {
      const { store } = window.faults
      const session = await store.create()
      window.faults.append(session.id, { seed: 1, turn: 1, least: 10, most: 100 }, 3)
      const [first] = await store.forkPoints(session.id)
      const child = await store.fork(session, first!.seq)
      window.faults.append(child.id, { seed: 2, turn: 2, least: 10, most: 100 })
      const flushed = [await store.flush(session), await store.flush(child)]
      const imported = await store.importLog(await window.faults.exported(child.id), { id: 'imported' })
      await store.release(child)
      const again = await store.load(child.id)
      const deleted = await store.delete(session.id)
      return { flushed, imported: imported.session.length, again: again.seq, deleted, left: await store.stored() }
    })
    expect(done.flushed).toEqual([true, true])
    expect(done.imported).toBe(done.again)
    expect(done.deleted).toMatchObject([{ outcome: 'deleted' }])
    expect(done.left).toHaveLength(2)
  })

  test(`${engine.title}: a page goes on after its worker died`, async () => {
    const context = await launch(engine, undefined, { args: [`--host-resolver-rules=MAP ${HOST} 127.0.0.1`] })
    const page = await openTab(context, HOST)
    await page.evaluate(() => window.faults.create('a', 1))
    await page.evaluate(() => {
      window.faults.terminate()
      window.faults.append('a', { seed: 2, turn: 2, least: 10, most: 100 })
    })
    await page.waitForFunction(() => window.faults.session('a').durable === window.faults.session('a').seq)
    const { seq } = await page.evaluate(() => ({ seq: window.faults.session('a').seq }))
    expect((await find(await openTab(context, HOST), 'a'))!.stored).toBe(seq)
  })
})
