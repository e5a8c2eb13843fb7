import { test } from 'vitest'
import { launch, levelDB, openTab } from './browser.js'
import { find } from './ledger.js'
import { address } from './site.js'
test('zz', { timeout: 300000 }, async () => {
  const context = await launch(levelDB)
  const other = await openTab(context)
  const res: Record<string, number[]> = { goto: [], close: [] }
  for (const how of ['goto', 'close'] as const) for (let i = 0; i < 25; i++) {
    const page = await openTab(context)
    const id = how + i
    await page.evaluate(async (id) => {
      const session = await window.faults.store.create(id)
      session.append('turn/start', { turn: 1 })
      session.append('step/start', { turn: 1, step: 1 })
      await window.faults.store.flush(session)
    }, id)
    await page.evaluate((id) => { for (let i = 0; i < 10; i++) window.faults.session(id).append('assistant/chunk', { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: `${i}` } }) }, id)
    if (how === 'goto') { await page.goto(`${address()}?another`); await page.close() } else await page.close()
    await new Promise((r) => setTimeout(r, 500))
    res[how]!.push((await find(other, id))!.stored)
  }
  console.log(JSON.stringify(res))
})
