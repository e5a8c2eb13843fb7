import { expect, test } from 'vitest'
import { ask, button, remove, screenshot, sessions, useDemo } from './demo'

const demo = useDemo()

test('forks are told apart at once, in the list, on top and when one is deleted', async () => {
  const { page } = demo
  await ask(page, 'First')
  const parentUrl = page.url()
  for (const name of ['First (1)', 'First (2)']) {
    await page.goto(parentUrl)
    await button(page, 'Fork here').click()
    await page.getByRole('heading', { name, exact: true }).waitFor()
  }
  const names = await page.locator('nav .session-name').allTextContents()
  expect(names.sort()).toEqual(['First', 'First (1)', 'First (2)'])
  const second = sessions(page).filter({ hasText: 'First (2)' })
  expect(await second.innerText()).toContain('Fork of First · its next question names it')
  await screenshot(page, 'forks')

  await button(page, 'Delete First (1)').click()
  await page.getByRole('dialog').getByText('“First (1)”').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await ask(page, 'On my own way')
  const renamed = sessions(page).filter({ hasText: 'On my own way' })
  await renamed.waitFor()
  expect(await renamed.innerText()).not.toContain('names it')
  await remove(page, 'First (1)')
  await button(page, 'Delete First (1)').waitFor({ state: 'detached' })
})

test('an unknown session is told as a sentence, with nothing that can only fail', async () => {
  const { page } = demo
  await page.goto(`${page.url()}#session=zzz`)
  await page.getByText("There is no session 'zzz'. It was deleted").waitFor()
  const offered = page.getByRole('main').locator('button, a')
  expect(await offered.allInnerTexts()).toEqual(['New chat'])
  await screenshot(page, 'unknown')
})
