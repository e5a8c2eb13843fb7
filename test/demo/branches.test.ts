import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import {
  answers,
  ask,
  button,
  hasFocus,
  isStored,
  remove,
  screenshot,
  send,
  sessions,
  transcript,
  useDemo,
} from './demo'

const demo = useDemo()

test('a prompt is edited and asked again beside the first one, and one goes from branch to branch', async () => {
  const { page } = demo
  await ask(page, 'What is 1 + 1?')
  await ask(page, 'What is 2 + 2?')
  const first = await transcript(page)

  await button(page, 'Edit').last().click()
  await title(page, 'What is 1 + 1? (1)')
  const message = page.getByLabel('Message')
  expect(await message.inputValue()).toBe('What is 2 + 2?')
  expect(await hasFocus(message)).toBe(true)
  expect(await transcript(page)).toEqual(first.slice(0, 2))
  // It is still there after a reload.
  await page.reload()
  await transcript(page)
  expect(await message.inputValue()).toBe('What is 2 + 2?')
  // Where it ends, the other one goes on.
  await page.getByText('Other branches go on from here').waitFor()
  await screenshot(page, 'edit')
  await ask(page, 'What is 3 + 3?')
  const second = await transcript(page)
  expect(second[3]).toContain('The answer is 6.')

  const picker = page.getByRole('group', { name: 'Branches from here' })
  expect(await picker.innerText()).toContain('2/2')
  await screenshot(page, 'branches')
  await button(page, 'Previous branch: What is 1 + 1?').click()
  await title(page, 'What is 1 + 1?')
  expect(await transcript(page)).toEqual(first)
  expect(await picker.innerText()).toContain('1/2')
  expect(await button(page, 'Previous branch').getAttribute('aria-disabled')).toBe('true')
  await button(page, 'Next branch: What is 1 + 1? (1)').click()
  await title(page, 'What is 1 + 1? (1)')
  expect(await transcript(page)).toEqual(second)

  // What was asked first can be deleted: the other stays whole, and there is nothing to go to any more.
  await remove(page, 'What is 1 + 1?')
  await picker.waitFor({ state: 'detached' })
  await page.reload()
  expect(await transcript(page)).toEqual(second)
})

test('the first prompt has branches too, though they share nothing', async () => {
  const { page } = demo
  await ask(page, 'Hello')
  await button(page, 'Regenerate').click()
  await title(page, 'Hello (1)')
  await isStored(page)
  const again = await transcript(page)
  expect(again[0]).toBe('Hello')
  await button(page, 'Regenerate').click()
  await title(page, 'Hello (2)')
  await isStored(page)
  expect(await transcript(page)).not.toEqual(again)

  const picker = page.getByRole('group', { name: 'Branches from here' })
  expect(await picker.innerText()).toContain('3/3')
  await button(page, 'Previous branch: Hello (1)').click()
  await title(page, 'Hello (1)')
  expect(await transcript(page)).toEqual(again)
  await remove(page, 'Hello (2)')
  await expect.poll(() => picker.innerText()).toContain('2/2')
  await button(page, 'Previous branch: Hello').click()
  await title(page, 'Hello')
})

test('an answer is regenerated beside the old one', async () => {
  const { page } = demo
  await ask(page, 'What is 1 + 1?')
  await ask(page, 'Tell me something')
  const before = await transcript(page)
  await button(page, 'Regenerate').last().click()
  await title(page, 'What is 1 + 1? (1)')
  await isStored(page)
  const after = await transcript(page)
  expect(after.slice(0, 3)).toEqual(before.slice(0, 3))
  expect(after[3]).not.toBe(before[3])
})

test('a failed answer is asked for again', async () => {
  const { page } = demo
  await ask(page, 'Fail in the middle')
  await answers(page).getByText('Failed: the model is overloaded. Try again').waitFor()
  await screenshot(page, 'failed')
  await button(page, 'Try again').click()
  await title(page, 'Fail in the middle (1)')
  await isStored(page)
  expect(await answers(page).getByText('Failed').count()).toBe(0)
  expect(await sessions(page).count()).toBe(2)
})

test('an answer that a reload cut off is asked for again', async () => {
  const { page } = demo
  await send(page, 'Tell me a long story')
  await answers(page).getByText('Each word of this answer').waitFor()
  await page.reload()
  await answers(page).getByText('Interrupted:').waitFor()
  await button(page, 'Try again').click()
  await title(page, 'Tell me a long story (1)')
  await button(page, 'Stop').click()
  await answers(page).getByText('Stopped. Try again').waitFor()
  expect(await transcript(page)).toHaveLength(2)
})

test('an answer that is being written says why it cannot be forked, while those before it can', async () => {
  const { page } = demo
  await ask(page, 'First')
  await send(page, 'Tell me a long story')
  await answers(page).last().getByText('It can be forked and asked again when it is finished, or stopped.').waitFor()
  expect(await answers(page).last().getByRole('button').count()).toBe(0)
  await button(page, 'Fork here').click()
  await title(page, 'First (1)')
  expect(await transcript(page)).toHaveLength(2)
  // It goes on meanwhile.
  await sessions(page).filter({ hasText: 'answering…' }).click()
  await button(page, 'Stop').click()
})

async function title(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}
