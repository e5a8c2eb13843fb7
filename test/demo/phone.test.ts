import { expect, test } from 'vitest'
import { ask, button, isStored, screenshot, sessions, useDemo } from './demo'

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
