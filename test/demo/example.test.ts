import { expect, test } from 'vitest'
import { ask, button, screenshot, sessions, transcript, useDemo } from './demo'

const demo = useDemo({ example: true })

test('the first visit shows one conversation with two branches, which can be removed for good', async () => {
  const { page } = demo
  await page.getByRole('heading', { level: 1, name: 'A name for a café' }).waitFor()
  expect(await sessions(page).count()).toBe(2)
  const first = await transcript(page)
  await screenshot(page, 'example')
  await button(page, 'Next branch: A name for a café (1)').click()
  await page.getByText('8 events shared').waitFor()
  const second = await transcript(page)
  expect(second.slice(0, 2)).toEqual(first.slice(0, 2))
  expect(second[2]).not.toBe(first[2])

  await page.reload()
  expect(await transcript(page)).toEqual(second)
  expect(await sessions(page).count()).toBe(2)
  await button(page, 'Remove the example').click()
  await page.getByText('No sessions yet').waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
  await page.getByText('No sessions yet').waitFor()
})

test('the example is a conversation like any other', async () => {
  const { page } = demo
  await ask(page, 'What is 2 + 2?')
  expect((await transcript(page))[5]).toContain('The answer is 4.')
})

test('two tabs that are opened at once make one example', async () => {
  const { page } = demo
  const other = await page.context().newPage()
  await page.evaluate(() => localStorage.clear())
  await other.goto(page.url().replace(/#.*/, ''))
  await other.getByRole('link', { name: 'A name for a café', exact: false }).first().waitFor()
  expect(await sessions(other).count()).toBe(2)
})
