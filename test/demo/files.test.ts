import { expect, test } from 'vitest'
import { ask, button, downloadSession, importText, screenshot, sessions, transcript, useDemo } from './demo'

const demo = useDemo()

test('an exported fork is imported under another id, and says the same', async () => {
  const { page } = demo
  await ask(page, 'Think about this')
  await button(page, 'Fork here').click()
  await page.getByText('events shared').waitFor()
  await ask(page, 'What is 6 * 7?')
  const fork = await transcript(page)
  const forkUrl = page.url()

  await importText(page, await downloadSession(page))
  const taken = page.getByRole('dialog', { name: 'This session is here already' })
  await taken.waitFor()
  await screenshot(page, 'import-taken')
  await taken.getByLabel('New id').fill('a copy/of #1')
  await taken.getByRole('button', { name: 'Import under this id' }).click()
  const done = page.getByRole('dialog', { name: 'Session imported' })
  await done.getByText('“What is 6 * 7?”').waitFor()
  await done.getByRole('link', { name: 'Open it' }).click()
  await page.waitForURL((url) => url.href !== forkUrl)
  await page.getByRole('heading', { name: 'What is 6 * 7?' }).waitFor()
  expect(await transcript(page)).toEqual(fork)
  await page.reload()
  expect(await transcript(page)).toEqual(fork)
  expect(await sessions(page).count()).toBe(3)
})

test('a broken file is refused with the line and the reason, and leaves nothing behind', async () => {
  const { page } = demo
  await ask(page, 'Break me')
  const lines = (await downloadSession(page)).replaceAll(/"id":"session-[^"]*"/g, '"id":"broken"').split('\n')
  const broken = lines.map((line) =>
    line.includes('"user/message"') ? line.replace('"role":"user"', '"role":1') : line,
  )
  await importText(page, broken.join('\n'))
  const refused = page.getByRole('dialog', { name: 'The file was not imported' })
  await refused.getByText("line 4: message.role must be 'user'").waitFor()
  await screenshot(page, 'import-refused')
  await refused.getByRole('button', { name: 'Close' }).click()
  await page.reload()
  await sessions(page).first().waitFor()
  expect(await sessions(page).count()).toBe(1)
})

test('a torn end is left out and reported', async () => {
  const { page } = demo
  await ask(page, 'Tear me')
  const file = (await downloadSession(page)).replaceAll(/"id":"session-[^"]*"/g, '"id":"torn"')
  await importText(page, `${file}{"type":"turn/st`)
  const done = page.getByRole('dialog', { name: 'Session imported' })
  await done.waitFor()
  expect(await done.innerText()).toContain(`torn and was left out, from line ${file.split('\n').length} on`)
})
