import { expect, test } from 'vitest'
import {
  actionsFor,
  ask,
  button,
  choose,
  hasFocus,
  remove,
  screenshot,
  send,
  sessions,
  transcript,
  useDemo,
} from './demo'

const demo = useDemo()

test('forks are named after what they were forked from, with the next number that is free', async () => {
  const { page } = demo
  await ask(page, 'First')
  const parentUrl = page.url()
  for (const name of ['First (1)', 'First (2)']) {
    await page.goto(parentUrl)
    await button(page, 'Fork here').click()
    await page.getByRole('heading', { name, exact: true }).waitFor()
  }
  // A fork of a fork does not pile up numbers.
  await button(page, 'Fork here').click()
  await page.getByRole('heading', { name: 'First (3)', exact: true }).waitFor()
  await ask(page, 'On my own way')
  expect(await names(page)).toEqual(['First', 'First (1)', 'First (2)', 'First (3)'])
  await screenshot(page, 'tree')

  await choose(page, 'First (1)', 'Delete')
  await page.getByRole('dialog').getByText('“First (1)”').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await remove(page, 'First (1)')
  await actionsFor(page, 'First (1)').waitFor({ state: 'detached' })
})

test('sessions are shown as a tree of forks, or with the last used first', async () => {
  const { page } = demo
  await ask(page, 'Family')
  await button(page, 'Fork here').click()
  await page.getByRole('heading', { name: 'Family (1)', exact: true }).waitFor()
  await page.getByRole('link', { name: 'New chat' }).click()
  await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
  await ask(page, 'Stranger')
  expect(await names(page)).toEqual(['Stranger', 'Family', 'Family (1)'])
  const rows = page.getByRole('navigation').getByRole('listitem')
  expect(await rows.nth(2).getAttribute('aria-level')).toBe('2')

  // Who was used last brings its family up.
  await sessions(page).filter({ hasText: 'Family (1)' }).click()
  await page.getByRole('heading', { name: 'Family (1)', exact: true }).waitFor()
  await ask(page, 'Again')
  expect(await names(page)).toEqual(['Family', 'Family (1)', 'Stranger'])
  await button(page, 'Recent').click()
  expect(await names(page)).toEqual(['Family (1)', 'Stranger', 'Family'])
  expect(await sessions(page).first().innerText()).toContain('Fork of Family')
  await screenshot(page, 'recent')
})

test('a search finds titles, in any case and without accents', async () => {
  const { page } = demo
  for (const prompt of ['A name for a Café', 'Something else']) {
    await page.getByRole('link', { name: 'New chat' }).click()
    await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
    await ask(page, prompt)
  }
  const search = page.getByRole('searchbox', { name: 'Search in titles and texts' })
  await search.fill('cafe')
  await sessions(page).filter({ hasText: 'Something else' }).waitFor({ state: 'detached' })
  expect(await names(page)).toEqual(['A name for a Café'])
  await search.fill('zebra')
  await page.getByText('No title and no text holds “zebra”.').waitFor()
  await search.fill('')
  await sessions(page).nth(1).waitFor()
})

test('a search finds what was said, and shows where', async () => {
  const { page } = demo
  await ask(page, 'Something else')
  await page.getByRole('link', { name: 'New chat' }).click()
  await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
  await ask(page, 'What is 17 × (3 + 4)?')
  const search = page.getByRole('searchbox', { name: 'Search in titles and texts' })
  await search.fill('ANSWER IS 119')
  await sessions(page).getByText('The answer is 119.').waitFor()
  expect(await names(page)).toEqual(['What is 17 × (3 + 4)?'])
  await screenshot(page, 'search')
})

test('a session is renamed by keyboard, in the list and on top, and keeps its name', async () => {
  const { page } = demo
  await ask(page, 'First')
  await actionsFor(page, 'First').press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const title = page.getByRole('textbox', { name: 'Title' })
  expect(await hasFocus(title)).toBe(true)
  await page.keyboard.type('  Plans for the garden ')
  await screenshot(page, 'rename')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Plans for the garden', exact: true }).waitFor()
  expect(await hasFocus(actionsFor(page, 'Plans for the garden'))).toBe(true)

  await button(page, 'Rename').first().press('Enter')
  await title.fill('Never mind')
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { name: 'Plans for the garden', exact: true }).waitFor()
  expect(await hasFocus(page.getByRole('main').getByRole('button', { name: 'Rename' }))).toBe(true)

  await ask(page, 'Does it stay?')
  await page.reload()
  await page.getByRole('heading', { name: 'Plans for the garden', exact: true }).waitFor()
  expect(await names(page)).toEqual(['Plans for the garden'])

  // Nothing typed: the name that the log gives itself.
  await page.getByRole('main').getByRole('button', { name: 'Rename' }).click()
  await title.fill('')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'First', exact: true }).waitFor()
})

test('a session can be renamed while its answer streams', async () => {
  const { page } = demo
  await send(page, 'Tell me a long story')
  await page.getByRole('main').getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('A story')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'A story', exact: true }).waitFor()
  expect(await button(page, 'Stop').isVisible()).toBe(true)
  expect(await names(page)).toEqual(['A story'])
})

test('a session is forked from its row, at its end, and while it is being written the row says what to do', async () => {
  const { page } = demo
  await ask(page, 'First')
  const parent = await transcript(page)
  await page.reload()
  await choose(page, 'First', 'Fork')
  await page.getByRole('heading', { name: 'First (1)', exact: true }).waitFor()
  expect(await transcript(page)).toEqual(parent)
  await send(page, 'Tell me a long story')
  await choose(page, 'First (1)', 'Fork')
  const alert = page.getByRole('alert')
  expect(await alert.innerText()).toContain('Wait until the answer is finished, or stop it.')
})

test('an unknown session is told as a sentence, with nothing that can only fail', async () => {
  const { page } = demo
  await page.goto(`${page.url()}#session=zzz`)
  await page.getByText("There is no session 'zzz'. It was deleted").waitFor()
  const offered = page.getByRole('main').locator('button, a')
  expect(await offered.allInnerTexts()).toEqual(['New chat'])
  await screenshot(page, 'unknown')
})

/** From top to bottom. */
async function names(page: typeof demo.page): Promise<string[]> {
  // Lists follow the stored events, a frame later.
  await page.waitForTimeout(300)
  return page.locator('nav .session-name').allTextContents()
}

test('the back button does not lead to a session that is deleted', async () => {
  const { page } = demo
  await ask(page, 'Kept')
  await page.getByRole('link', { name: 'New chat' }).click()
  await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
  await ask(page, 'Deleted')
  await remove(page, 'Deleted')
  await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
  await page.goBack()
  await page.goBack()
  await page.getByRole('heading', { name: 'Kept', exact: true }).waitFor()
  expect(await names(page)).toEqual(['Kept'])
})

test('a long name leaves the actions of its row in sight', async () => {
  const { page } = demo
  const name = 'A name that is longer than the list is wide, as most are'
  await ask(page, name)
  const row = await page.getByRole('navigation', { name: 'Sessions' }).getByRole('listitem').boundingBox()
  const text = await sessions(page).getByText(name).boundingBox()
  const actions = await actionsFor(page, name).boundingBox()
  expect(text!.x + text!.width).toBeLessThanOrEqual(actions!.x)
  expect(actions!.x + actions!.width).toBeLessThanOrEqual(row!.x + row!.width)
})
