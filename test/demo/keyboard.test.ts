import { expect, test } from 'vitest'
import {
  actionsFor,
  answers,
  ask,
  button,
  hasFocus,
  isStored,
  screenshot,
  send,
  sessions,
  transcript,
  useDemo,
} from './demo'

const demo = useDemo()

test('a double-click makes one fork', async () => {
  const { page } = demo
  await ask(page, 'First')
  await button(page, 'Fork here').dblclick()
  await page.getByText('events shared').waitFor()
  await ask(page, 'Second')
  expect(await sessions(page).count()).toBe(2)
})

test('a double-click that is slower than the fork makes one fork, too', async () => {
  const { page } = demo
  await ask(page, 'First')
  await button(page, 'Fork here').click()
  await page.getByText('events shared').waitFor()
  await button(page, 'Fork here').hover()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  await ask(page, 'Second')
  expect(await sessions(page).count()).toBe(2)
})

test('Enter twice makes one session, and one prompt', async () => {
  const { page } = demo
  await page.getByLabel('Message').fill('First')
  // In one breath, as a key that bounces: nothing can be drawn in between.
  await page.getByLabel('Message').evaluate((input) => {
    for (let i = 0; i < 2; i++) input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  })
  await transcript(page)
  await isStored(page)
  expect(await transcript(page)).toHaveLength(2)
  expect(await sessions(page).count()).toBe(1)
})

test('a double-click on Send does not stop the answer', async () => {
  const { page } = demo
  await ask(page, 'First')
  await page.getByLabel('Message').fill('Second')
  await button(page, 'Send').click()
  await button(page, 'Stop').waitFor()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  await isStored(page)
  expect(await answers(page).getByText('Stopped.').count()).toBe(0)
  expect(await answers(page).count()).toBe(2)
})

test('a suggestion that is pressed twice makes one session', async () => {
  const { page } = demo
  await button(page, 'How is an answer stored?').dblclick()
  await transcript(page)
  await isStored(page)
  expect(await sessions(page).count()).toBe(1)
})

test('Enter while an answer streams says what to wait for, and keeps what was typed', async () => {
  const { page } = demo
  await send(page, 'Tell me a long story')
  await page.getByLabel('Message').fill('Next')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Wait until the answer is finished, or stop it.').waitFor()
  await screenshot(page, 'wait')
  expect(await page.getByLabel('Message').inputValue()).toBe('Next')

  await button(page, 'Stop').focus()
  await page.keyboard.press('Enter')
  await answers(page).getByText('Stopped.').waitFor()
  expect(await hasFocus(page.getByLabel('Message'))).toBe(true)
  expect(await page.getByRole('status').innerText()).toBe('')
})

test('the focus goes from Stop to the composer when the answer ends by itself', async () => {
  const { page } = demo
  await send(page, 'Hello')
  await button(page, 'Stop').focus()
  await isStored(page)
  expect(await hasFocus(page.getByLabel('Message'))).toBe(true)
  await answers(page).waitFor()
})

test('the focus goes to the next row when a session is deleted, and to “New chat” after the last', async () => {
  const { page } = demo
  for (const prompt of ['One', 'Two', 'Three']) {
    await page.getByRole('link', { name: 'New chat' }).click()
    await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
    await ask(page, prompt)
  }
  await page.goto(page.url().replace(/#.*/, '#'))
  const remove = async (title: string): Promise<void> => {
    await actionsFor(page, title).press('Enter')
    for (let i = 0; i < 4; i++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await actionsFor(page, title).waitFor({ state: 'detached' })
  }
  await remove('Two')
  expect(await hasFocus(sessions(page).filter({ hasText: 'One' }))).toBe(true)
  await remove('One')
  expect(await hasFocus(sessions(page).filter({ hasText: 'Three' }))).toBe(true)
  await remove('Three')
  expect(await hasFocus(page.getByRole('link', { name: 'New chat' }))).toBe(true)
})
