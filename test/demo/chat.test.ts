import { expect, test } from 'vitest'
import { answers, ask, button, choose, isStored, screenshot, send, sessions, transcript, useDemo } from './demo'

const demo = useDemo()

test('a fork has only what it was forked from, and both logs are there after a reload', async () => {
  const { page } = demo
  await ask(page, 'What is 17 × (3 + 4)?')
  await ask(page, 'And how many prompts do you see?')
  const parentUrl = page.url()
  const parent = await transcript(page)
  expect(parent).toHaveLength(4)
  expect(parent[1]).toContain('The answer is 119')
  expect(parent[3]).toContain('I see 2 prompts in this session; the first was “What is 17 × (3 + 4)?”')

  await button(page, 'Fork here').first().click()
  await page.waitForURL((url) => url.href !== parentUrl)
  await page.getByText('events shared').waitFor()
  expect(await transcript(page)).toEqual(parent.slice(0, 2))
  await ask(page, 'Which other prompts do you see?')
  const child = await transcript(page)
  expect(child[3]).toContain('I see 2 prompts in this session; the first was “What is 17 × (3 + 4)?”')
  expect(child.join()).not.toContain('And how many')
  await screenshot(page, 'fork')

  await page.reload()
  expect(await transcript(page)).toEqual(child)
  await page.goto(parentUrl)
  await page.getByText('And how many').first().waitFor()
  expect(await transcript(page)).toEqual(parent)
})

test('an answer that a reload cuts off keeps what had arrived, and the session goes on', async () => {
  const { page } = demo
  await send(page, 'Tell me a long story')
  await answers(page).getByText('Fork an answer, and two sessions').waitFor()
  await page.reload()
  await answers(page).getByText('Interrupted: the page that wrote this was closed, or overtaken by another.').waitFor()
  const [, cutOff] = await transcript(page)
  expect(cutOff).toContain('Fork an answer, and two sessions')
  expect(cutOff).not.toContain('And that is the end')
  await screenshot(page, 'interrupted')

  await ask(page, 'Are you still here?')
  await answers(page).last().getByText('I see 2 prompts').waitFor()
  expect((await transcript(page))[1]).toBe(cutOff)
})

test('a stopped answer keeps its text and can be forked', async () => {
  const { page } = demo
  await send(page, 'Tell me a long story')
  await answers(page).getByText('Each word of this answer').waitFor()
  expect(await button(page, 'Fork here').count()).toBe(0)
  await screenshot(page, 'streaming')
  await button(page, 'Stop').click()
  await answers(page).getByText('Stopped.').waitFor()
  await isStored(page)
  const stopped = await transcript(page)
  expect(stopped[1]).toContain('Each word of this answer')

  await button(page, 'Fork here').click()
  await page.getByText('events shared').waitFor()
  expect(await transcript(page)).toEqual(stopped)
})

test('a fork stays whole when the session that it came from is deleted', async () => {
  const { page } = demo
  await ask(page, 'Where do you come from?')
  await button(page, 'Fork here').click()
  await page.getByText('events shared').waitFor()
  await ask(page, 'I am the fork')
  const fork = await transcript(page)

  await choose(page, 'Where do you come from?', 'Delete')
  await screenshot(page, 'delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Fork of a deleted session · ').waitFor()
  await expect.poll(() => sessions(page).count()).toBe(1)
  await page.reload()
  expect(await transcript(page)).toEqual(fork)
})

test('a failed answer says so, and the next one works', async () => {
  const { page } = demo
  await ask(page, 'Fail in the middle')
  await answers(page).getByText('Failed: the model is overloaded.').waitFor()
  await ask(page, 'What time is it?')
  expect((await transcript(page))[3]).toContain('The answer is')
})

test('a prompt is shown as the text that it is', async () => {
  const { page } = demo
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  const markup = `<img src=x onerror="alert('img')"><script>alert('script')</script>`
  await ask(page, markup)
  await ask(page, 'Say it again')
  await answers(page).last().getByText(markup).waitFor()
  expect(await page.getByRole('heading', { name: '<img src=x' }).count()).toBe(1)
  expect(await page.locator('main img, main script, nav ul img').count()).toBe(0)
  await page.reload()
  await page.getByRole('article', { name: 'You' }).getByText(markup, { exact: true }).waitFor()
  expect(dialogs).toEqual([])
})
