// The quick start of the README, run as it stands there.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { viteDev, vites } from './bundlers'
import { newApplication } from './packed'
import { quickStart, quickStartContinued, quickStartPrints } from './readme'
import { useBrowser } from './visit'

const browser = useBrowser()

test('the quick start prints what it says, and finds it again with the lines for after a reload', async () => {
  const folder = newApplication()
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  for (const [name, code] of Object.entries({ first: quickStart, later: quickStartContinued })) {
    writeFileSync(join(folder, `${name}.html`), html.replace('main.js', `${name}.ts`))
    writeFileSync(join(folder, `${name}.ts`), `${code}\ndocument.body.append(document.createElement('output'))\n`)
  }
  const url = await viteDev(vites[8], folder)
  const { page, errors } = await browser.newPage()
  let lines: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'log') lines.push(message.text())
  })
  const visit = async (name: string): Promise<string[]> => {
    lines = []
    await page.goto(`${url}${name}.html`)
    await page.locator('output').waitFor({ state: 'attached' })
    return lines
  }

  expect(await visit('first')).toEqual([quickStartPrints])

  const [again, ...stored] = await visit('later')
  expect(again).toBe(quickStartPrints)
  // Two conversations of each visit, each fork with its parent and all of both turns.
  expect(stored).toHaveLength(4)
  expect(stored.filter((line) => /^session-\S+ session-\S+ 14$/.test(line))).toHaveLength(2)
  expect(errors).toEqual([])
})
