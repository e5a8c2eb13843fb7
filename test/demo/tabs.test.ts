import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { ask, button, sessions, transcript, useDemo } from './demo'

const demo = useDemo()

test('a session that is opened in another tab goes on there, and can be taken back', async () => {
  const { page } = demo
  await ask(page, 'First')
  const other = await newTab(page)
  await other.goto(page.url())
  await transcript(other)
  const notice = page.getByRole('alert')
  await notice.waitFor()
  expect(await notice.innerText()).toContain('not open here any more')
  await ask(other, 'Theirs')

  await button(page, 'Go on here').click()
  await page.getByRole('article', { name: 'You' }).getByText('Theirs').waitFor()
  expect((await transcript(page))[2]).toBe('Theirs')
})

test('what is typed stays with its session', async () => {
  const { page } = demo
  await ask(page, 'First')
  await page.getByLabel('Message').fill('Half a sentence')
  await page.getByRole('link', { name: 'New chat' }).click()
  await page.getByRole('heading', { name: 'Ask, then fork any answer' }).waitFor()
  expect(await page.getByLabel('Message').inputValue()).toBe('')
  await sessions(page).first().click()
  await transcript(page)
  expect(await page.getByLabel('Message').inputValue()).toBe('Half a sentence')
})

/** Another tab of the same browser, on a new chat. */
async function newTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto(page.url().replace(/#.*/, ''))
  await tab.getByRole('heading', { name: 'Ask, then' }).waitFor()
  return tab
}
