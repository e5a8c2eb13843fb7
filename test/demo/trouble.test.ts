import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { ask, button, isStored, screenshot, send, useDemo } from './demo'

/** Added to the scripts, it matters in the worker: writes fail as on a full disk while the page says so. */
const FULL_DISK = `
  let full = false
  new BroadcastChannel('full disk').onmessage = ({ data }) => (full = data)
  for (const method of ['add', 'put']) {
    const write = IDBObjectStore.prototype[method]
    IDBObjectStore.prototype[method] = function (...args) {
      if (full) throw new DOMException('full', 'QuotaExceededError')
      return write.apply(this, args)
    }
  }`

const demo = useDemo()

test('what cannot be stored is shown with its cure, kept, and stored when there is room again', async () => {
  const { page } = demo
  await page.route(/\/assets\/.*\.js$/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()) + FULL_DISK })
  })
  await page.reload()
  await ask(page, 'There is room')
  await setFull(page, true)
  await send(page, 'Now there is none')
  const notice = page.getByRole('alert')
  await notice.waitFor()
  expect(await notice.innerText()).toContain(
    '“There is room” is not all stored yet: the browser has no room left; export or delete sessions',
  )
  await screenshot(page, 'full')

  await setFull(page, false)
  await button(page, 'Try again').click()
  await isStored(page)
  expect(await notice.count()).toBe(0)
})

async function setFull(page: Page, full: boolean): Promise<void> {
  await page.evaluate((full) => new BroadcastChannel('full disk').postMessage(full), full)
}
