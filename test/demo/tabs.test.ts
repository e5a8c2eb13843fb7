import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { answers, ask, button, hasFocus, isStored, remove, screenshot, sessions, transcript, useDemo } from './demo'

const demo = useDemo()

test('a prompt that another tab was ahead of goes back into the composer, and can be sent again', async () => {
  const { page } = demo
  await overtaken(page)
  const notice = page.getByRole('alert')
  expect(await notice.innerText()).toMatch(/Another tab .*\d+ events .*not be stored.*Go on here. drops/s)
  expect(await page.getByLabel('Message').inputValue()).toBe('Mine')
  expect(await button(page, 'Fork here').count()).toBe(0)
  await screenshot(page, 'overtaken')

  await button(page, 'Go on here').click()
  await page.getByRole('article', { name: 'You' }).getByText('Theirs').waitFor()
  expect((await transcript(page))[2]).toBe('Theirs')
  const message = page.getByLabel('Message')
  expect(await message.inputValue()).toBe('Mine')
  expect(await hasFocus(message)).toBe(true)
  await message.press('Enter')
  await answers(page).nth(2).waitFor()
  await isStored(page)
  expect((await transcript(page))[4]).toBe('Mine')
})

test('what another tab was ahead of can be kept as a session of its own', async () => {
  const { page } = demo
  await overtaken(page)
  const url = page.url()
  await button(page, 'Keep as a new session').dblclick()
  await page.waitForURL((now) => now.href !== url)
  await isStored(page)
  expect((await transcript(page))[0]).toBe('First')
  expect(await transcript(page)).toHaveLength(2)
  expect(await page.getByLabel('Message').inputValue()).toBe('Mine')
  await expect.poll(() => sessions(page).count()).toBe(2)
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

test('a session that another tab deleted says so, and its answers can be kept', async () => {
  const { page } = demo
  for (const prompt of ['One', 'Two', 'Three']) {
    await page.getByRole('link', { name: 'New chat' }).click()
    await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
    await ask(page, prompt)
  }
  const other = await newTab(page)
  for (const title of ['One', 'Two', 'Three']) await remove(other, title)
  await other.getByText('No sessions yet').waitFor()

  // The open one is shown from memory until something is to be done with it.
  await page.getByLabel('Message').fill('Are you there?')
  await page.keyboard.press('Enter')
  await page.getByText('This session was deleted in another tab, and is only shown here.').waitFor()
  expect(await page.getByLabel('Message').inputValue()).toBe('Are you there?')
  expect(await button(page, 'Export').count()).toBe(0)
  await button(page, 'Keep as a new session').click()
  await page.getByText('Fork of a deleted session · ').first().waitFor()
  await page.reload()
  await expect.poll(() => sessions(page).count()).toBe(1)
})

test('choosing or deleting a session that is gone says so', async () => {
  const { page } = demo
  for (const prompt of ['One', 'Two', 'Three']) {
    await page.getByRole('link', { name: 'New chat' }).click()
    await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
    await ask(page, prompt)
  }
  await page.reload()
  const other = await newTab(page)
  await remove(other, 'One')
  await remove(page, 'One')
  await page.getByText('One” was not deleted: it is not there any more').waitFor()

  await remove(other, 'Two')
  await sessions(page).filter({ hasText: 'Two' }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'cannot be shown' })
  expect(await alert.innerText()).toContain('It was deleted, or it belongs to another browser.')
})

/** A session with a first turn, that another tab has gone on with when this one sends its second prompt. */
async function overtaken(page: Page): Promise<void> {
  await ask(page, 'First')
  const other = await newTab(page)
  await other.goto(page.url())
  await transcript(other)
  await ask(other, 'Theirs')
  await page.getByLabel('Message').fill('Mine')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
}

/** Another tab of the same browser, on a new chat. */
async function newTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto(page.url().replace(/#.*/, ''))
  await tab.getByRole('heading', { name: 'Ask, then' }).waitFor()
  return tab
}
