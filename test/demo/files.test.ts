import { expect, test } from 'vitest'
import { ask, button, downloadSession, importText, remove, screenshot, sessions, transcript, useDemo } from './demo'

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
  // A title that was set is not in the file.
  await done.getByText('“Think about this”').waitFor()
  await done.getByRole('link', { name: 'Open it' }).click()
  await page.waitForURL((url) => url.href !== forkUrl)
  await page.getByRole('heading', { name: 'Think about this', exact: true }).waitFor()
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
  await refused.getByText("line 3: message.role must be 'user'").waitFor()
  await refused.getByText('Repair line 3, or export the session again').waitFor()
  await screenshot(page, 'import-refused')
  await refused.getByRole('button', { name: 'Close' }).click()
  await page.reload()
  await sessions(page).first().waitFor()
  expect(await sessions(page).count()).toBe(1)
})

test('advice fits what is wrong with a file', async () => {
  const { page } = demo
  const refused = page.getByRole('dialog', { name: 'The file was not imported' })
  const advice = async (content: string | Buffer, name: string): Promise<string> => {
    await importText(page, content, name)
    await refused.getByText(name).waitFor()
    const text = await refused.innerText()
    await refused.getByRole('button', { name: 'Close' }).click()
    return text
  }
  const png = await advice(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), 'photo.png')
  expect(png).toContain('This is no session file')
  expect(png).not.toContain('Repair')
  expect(await advice('{"type":"session","version":9}\n', 'newer.jsonl')).toContain('Reload to get the latest version')
  const zstd = await advice(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0]), 'log.jsonl.zstd')
  expect(zstd).toContain('decompress it first')
  expect(zstd).not.toContain('Reload')
})

test('files that are dropped on the page are imported one after the other, each with its report', async () => {
  const { page } = demo
  await ask(page, 'Drop me')
  const log = await downloadSession(page)
  const files = ['one', 'two'].map((id) => log.replaceAll(/"id":"session-[^"]*"/g, `"id":"${id}"`))
  const transfer = await page.evaluateHandle((files) => {
    const transfer = new DataTransfer()
    for (const [i, text] of files.entries()) transfer.items.add(new File([text], `${i}.jsonl`))
    return transfer
  }, files)
  await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer })
  await page.getByText('Drop session files to import them').waitFor()
  await screenshot(page, 'drop')
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer })
  const report = page.getByRole('dialog', { name: 'Session imported' })
  for (const id of ['one', 'two']) {
    await report.getByText(`Id ${id}`).waitFor()
    await report.getByRole('button', { name: 'Close' }).click()
  }
  await expect.poll(() => sessions(page).count()).toBe(3)
  expect(await page.getByText('Drop session files').count()).toBe(0)
})

test('a long file shows how far it is, and the page can be used meanwhile', async () => {
  const { page } = demo
  await importText(page, longLog(60_000), 'long.jsonl')
  const progress = page.getByLabel('Importing long.jsonl')
  await progress.waitFor()
  await page.waitForFunction(() => {
    const { value = 0 } = document.querySelector('progress') ?? {}
    return value > 0 && value < 1
  })
  await page.getByLabel('Message').fill('Meanwhile')
  await page.getByRole('dialog', { name: 'Session imported' }).getByText('60000 events').waitFor()
  expect(await progress.count()).toBe(0)
})

test('a file that is dropped while another one is imported comes after it', async () => {
  const { page } = demo
  await importText(page, longLog(20_000), 'long.jsonl')
  await page.getByLabel('Importing long.jsonl').waitFor()
  const transfer = await page.evaluateHandle(
    (text) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([text], 'next.jsonl'))
      return transfer
    },
    longLog(1).replace('"long"', '"next"'),
  )
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer })
  const report = page.getByRole('dialog', { name: 'Session imported' })
  for (const id of ['long', 'next']) {
    await report.getByText(`Id ${id}`).waitFor()
    await report.getByRole('button', { name: 'Close' }).click()
  }
  await expect.poll(() => sessions(page).count()).toBe(2)
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

test('a file with a time that no date can hold is listed, opened and deleted like any other', async () => {
  const { page } = demo
  const header = { type: 'session', version: 0, id: 'far', createdAt: Number.MAX_SAFE_INTEGER, delegationDepth: 0 }
  const title = { type: 'session/title', seq: 0, time: Number.MAX_SAFE_INTEGER, data: { title: 'From afar' } }
  await importText(page, `${JSON.stringify(header)}\n${JSON.stringify(title)}\n`)
  await page.getByRole('dialog', { name: 'Session imported' }).getByRole('link', { name: 'Open it' }).click()
  await page.getByRole('heading', { name: 'From afar' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'From afar' }).waitFor()
  await remove(page, 'From afar')
  await expect.poll(() => sessions(page).count()).toBe(0)
})

function longLog(length: number): string {
  const header = { type: 'session', version: 0, id: 'long', createdAt: 1, delegationDepth: 0 }
  const title = (seq: number): object => ({ type: 'session/title', seq, time: 1, data: { title: `Title ${seq}` } })
  const lines = [header, ...Array.from({ length }, (_, seq) => title(seq))]
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}
