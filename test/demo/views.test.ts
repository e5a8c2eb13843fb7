import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { ask, button, isStored, screenshot, send, transcript, useDemo } from './demo'

const demo = useDemo()

const show = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click()

/** One turn in common; then 'Left' and 'More' in 'First', 'Right' in 'First (1)', which is open. */
async function makeBranches(page: Page): Promise<void> {
  await ask(page, 'First')
  await ask(page, 'Left')
  await ask(page, 'More')
  await button(page, 'Fork here').first().click()
  await page.getByRole('heading', { name: 'First (1)', exact: true }).waitFor()
  await ask(page, 'Right')
}

test('two branches are compared: what both have, then how each goes on, turn beside turn', async () => {
  const { page } = demo
  await makeBranches(page)
  await show(page, 'Compare')
  const prompts = (region: string): Promise<string[]> =>
    page.getByRole('region', { name: region }).getByRole('article', { name: 'You' }).allInnerTexts()
  await page.getByRole('region', { name: 'How each goes on' }).waitFor()
  await page.getByRole('heading', { name: 'Both begin with this turn' }).waitFor()
  expect(await prompts('What both have')).toEqual(['First'])
  expect(await prompts('How each goes on')).toEqual(['Right', 'Left', 'More'])
  const right = await page.getByText('Right', { exact: true }).boundingBox()
  const left = await page.getByText('Left', { exact: true }).boundingBox()
  expect(right!.y).toBe(left!.y)
  await page.getByText('It ends here.').waitFor()
  await screenshot(page, 'compare')
  await page.emulateMedia({ colorScheme: 'dark' })
  await screenshot(page, 'compare-dark')
  await page.emulateMedia({ colorScheme: 'light' })

  // The address has it all.
  await page.reload()
  await page.getByRole('region', { name: 'How each goes on' }).getByRole('link', { name: 'First', exact: true }).click()
  expect(await transcript(page)).toHaveLength(6)
})

test('sessions that are no relatives have nothing in common', async () => {
  const { page } = demo
  await ask(page, 'One')
  await show(page, 'Compare')
  await page.getByText('There is no other session to compare with.').waitFor()
  await page.getByRole('link', { name: 'New chat' }).click()
  await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
  await ask(page, 'Another')
  await show(page, 'Compare')
  await page.getByLabel('Compare with').selectOption({ label: 'One' })
  await page.getByText('They have no turn in common.').waitFor()
  expect(await page.getByRole('article', { name: 'You' }).allInnerTexts()).toEqual(['Another', 'One'])
})

test('the map shows every turn of a family once, and leads to the session that has it', async () => {
  const { page } = demo
  await makeBranches(page)
  await show(page, 'Map')
  const map = page.getByRole('region', { name: 'Map of branches' })
  const turns = (lane: string): Promise<string[]> =>
    map.getByRole('group', { name: lane, exact: true }).getByRole('link', { name: /^Turn/ }).allInnerTexts()
  await map.getByRole('link', { name: 'Turn 2: Right' }).waitFor()
  await screenshot(page, 'map')
  const all = (await turns('First (1)')).concat(await turns('First')).map((text) => text.replace(/\s+/g, ' '))
  expect(all).toEqual(['Turn 1: First', 'Turn 2: Right', 'Turn 2: Left', 'Turn 3: More'])
  await map.getByRole('link', { name: 'Turn 3: More' }).click()
  await page.getByRole('heading', { name: 'First', exact: true }).waitFor()
  expect(await transcript(page)).toHaveLength(6)
})

test('the log shows each event as it is stored, what is before the model, and the header', async () => {
  const { page } = demo
  await ask(page, 'What is 6 * 7?')
  await show(page, 'Log')
  const events = page.getByRole('region', { name: 'Events' })
  await events.getByText('turn/end').waitFor()
  await page.getByText(/^(\d+) of \1 events are stored, 0 are only in this page\.$/).waitFor()
  await screenshot(page, 'log')
  await events.getByText('turn/end').click()
  await events.getByText('"kind": "completed"').waitFor()
  await button(page, 'Model’s view').click()
  const messages = page.getByRole('region', { name: 'Messages' }).getByRole('listitem')
  expect(await messages.locator('strong').allInnerTexts()).toEqual(['user', 'assistant', 'user', 'assistant'])
  await button(page, 'Surface').click()
  expect(await page.getByRole('region', { name: 'Surface' }).getByRole('listitem').count()).toBe(4)
  await button(page, 'Header').click()
  await page.getByText('"createdAt"').waitFor()
})

test('an answer goes on while one looks at the log', async () => {
  const { page } = demo
  await send(page, 'Tell me a long story')
  await show(page, 'Log')
  const events = page.getByRole('region', { name: 'Events' })
  await events.getByText('assistant/chunk').last().waitFor()
  await show(page, 'Chat')
  await button(page, 'Stop').click()
  await isStored(page)
  await show(page, 'Log')
  await events.getByText('turn/end').waitFor()
  expect(await events.getByText('turn/end').count()).toBe(1)
})
