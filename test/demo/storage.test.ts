import { expect, test } from 'vitest'
import { ask, button, screenshot, useDemo } from './demo'

const demo = useDemo()

test('the page says how much room is used, and asks the browser to keep it', async () => {
  const { page } = demo
  const storage = page.getByRole('region', { name: 'Storage' })
  await ask(page, 'First')
  await storage.getByText('Stored in this browser').waitFor()
  await storage.getByText(/^[\d.]+ (B|kB|MB) of [\d.]+ [MGT]B in use$/).waitFor()
  expect(Number(await storage.getByRole('meter').getAttribute('value'))).toBeGreaterThan(0)

  // A browser that nobody can ask says no to a page that is new to it.
  await button(page, 'Keep my data').click()
  await page.getByRole('alert').getByText('the browser may still remove it when it runs out of room').waitFor()
  await screenshot(page, 'not-kept')
  await button(page, 'Dismiss').click()

  const browser = await page.context().browser()!.newBrowserCDPSession()
  const { targetInfo } = await (await page.context().newCDPSession(page)).send('Target.getTargetInfo')
  const browserContextId = targetInfo.browserContextId!
  await browser.send('Browser.grantPermissions', { permissions: ['durableStorage'], browserContextId })
  await button(page, 'Keep my data').click()
  await storage.getByText('The browser keeps it until you delete it.').waitFor()
})
