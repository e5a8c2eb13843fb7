import { devices } from 'playwright'
import { expect, inject, test } from 'vitest'
import { ask, button, hasFocus, importText, isStored, screenshot, sessions, useDemo } from './demo'

const demo = useDemo()

test('on a phone the top is the title and the views, and no key is spoken of that is not there', async () => {
  const { page } = demo
  await page.setViewportSize({ width: 360, height: 640 })
  await screenshot(page, 'phone-new')
  await ask(page, 'What is 17 × (3 + 4)?')
  await button(page, 'Fork here').click()
  await page.getByText('Fork of').first().waitFor({ state: 'attached' })
  await isStored(page)
  await screenshot(page, 'phone')
  const transcript = await page.getByRole('log').boundingBox()
  expect(transcript!.y).toBeLessThan(100)
  expect(await page.getByLabel('Message').getAttribute('placeholder')).not.toContain('Shift')
  expect(await page.getByText('Shift+Enter').isVisible()).toBe(false)

  await button(page, 'Sessions').click()
  await sessions(page).first().waitFor()
  await screenshot(page, 'phone-list')
  await sessions(page).last().click()
  await page.getByRole('log').waitFor()
  expect(await sessions(page).first().isVisible()).toBe(false)
})

test('a session that is opened on a phone does not bring up its keyboard', async () => {
  const context = await demo.page
    .context()
    .browser()!
    .newContext({ ...devices['Pixel 7'], serviceWorkers: 'block' })
  const page = await context.newPage()
  await page.goto(inject('demo'))
  await page.getByRole('log').waitFor()
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true)
  await context.close()
})

test('a file that is dropped on a narrow page is reported, though the list is out of sight', async () => {
  const { page } = demo
  await page.setViewportSize({ width: 360, height: 640 })
  const transfer = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([text], 'dropped.jsonl'))
    return transfer
  }, EMPTY)
  // Again and again, as a browser tells of it: nobody may listen yet.
  const isOffered = async (): Promise<boolean> => {
    await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer })
    return page.getByText('Drop session files to import them').isVisible()
  }
  await expect.poll(isOffered).toBe(true)
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer })
  const report = page.getByRole('dialog', { name: 'Session imported' })
  await report.waitFor()
  await screenshot(page, 'phone-dropped')
  await report.getByRole('button', { name: 'Close' }).click()
  await page.getByLabel('Message').click()
  expect(await hasFocus(page.getByLabel('Message'))).toBe(true)
})

test('what was imported from the list of a phone comes into sight when it is opened', async () => {
  const { page } = demo
  await page.setViewportSize({ width: 360, height: 640 })
  await button(page, 'Sessions').click()
  await importText(page, EMPTY)
  await page.getByRole('dialog', { name: 'Session imported' }).getByRole('link', { name: 'Open it' }).click()
  await page.getByRole('log').waitFor()
  expect(await sessions(page).count()).toBe(0)
})

test('what went wrong in the list of a phone is told below it', async () => {
  const { page } = demo
  await page.setViewportSize({ width: 360, height: 640 })
  await page.evaluate(() => {
    navigator.storage.persist = () => Promise.resolve(false)
  })
  await button(page, 'Sessions').click()
  await button(page, 'Keep my data').click()
  const notice = page.getByRole('alert')
  await notice.waitFor()
  expect(await notice.innerText()).toContain('The data is not kept for good')
  await screenshot(page, 'phone-list-notice')
})

const EMPTY = '{"type":"session","version":0,"id":"empty","createdAt":1,"delegationDepth":0}\n'
