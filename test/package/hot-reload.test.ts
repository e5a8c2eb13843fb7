// A module that is replaced while the page lives goes on with the store that the one before it opened.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { viteDev, vites } from './bundlers'
import { newApplication } from './packed'
import { useBrowser } from './visit'

const browser = useBrowser()

/** @param version of the module, which the page shows */
const main = (version: string): string => `
import { openSessions } from 'idb-sessions'
const store = await openSessions({ name: 'hot' })
const seen = (globalThis.seen ??= { store, session: await store.create() })
seen.session.append('turn/start', { turn: seen.session.turn.next })
seen.session.append('turn/end', { turn: seen.session.turn.open, reason: { kind: 'completed' } })
await store.flush(seen.session)
const isSame = seen.store === store && store.get(seen.session.id) === seen.session
document.querySelector('output')?.remove()
document.body.append(Object.assign(document.createElement('output'), {
  textContent: JSON.stringify({ version: '${version}', isSame, status: store.status, events: seen.session.durable }),
}))
import.meta.hot.accept()
`

test('hot reload opens the store once, and its sessions stay live', { timeout: 60_000 }, async () => {
  const folder = newApplication()
  writeFileSync(join(folder, 'main.js'), main('first'))
  const url = await viteDev(vites[8], folder)
  const { page, errors } = await browser.newPage()
  await page.goto(url)
  const shown = async (version: string): Promise<unknown> => {
    await page.getByText(`"version":"${version}"`).waitFor()
    return JSON.parse((await page.locator('output').textContent())!)
  }
  expect(await shown('first')).toMatchObject({ isSame: true, status: 'ready', events: 2 })
  writeFileSync(join(folder, 'main.js'), main('second'))
  expect(await shown('second')).toMatchObject({ isSame: true, status: 'ready', events: 4 })
  expect(errors).toEqual([])
})
