import { expect, test } from 'vitest'
import { answers, button, importText, transcript, useDemo } from './demo'

const demo = useDemo()

const TEXT = `## A heading

- one
- two with \`code\` and **weight**

1. first
2. second

| a | b |
| - | - |
| 1 | 2 |

\`\`\`js
if (a < b) alert('code')
\`\`\`

[a link](https://example.org/?a=1) [not one](javascript:alert(1)) [nor this](#session=other)
![a picture](https://example.org/spy.png)
<img src=x onerror="alert('img')"> <b>bold</b>

<script>alert('script')</script>
${'> '.repeat(200)}deep`

test('an answer is shown with its lists, tables and code, and nothing of it runs, loads or leads astray', async () => {
  const { page } = demo
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  page.on('dialog', (dialog) => {
    requests.push(dialog.message())
    void dialog.dismiss()
  })
  await importText(page, sessionOf(TEXT))
  await page.getByRole('dialog', { name: 'Session imported' }).getByRole('link', { name: 'Open it' }).click()
  const answer = answers(page)
  await answer.getByRole('heading', { name: 'A heading' }).waitFor()
  expect(await answer.locator('ul li').allInnerTexts()).toEqual(['one', 'two with code and weight'])
  expect(await answer.locator('ol li').allInnerTexts()).toEqual(['first', 'second'])
  expect(await answer.getByRole('cell').allInnerTexts()).toEqual(['1', '2'])
  expect(await answer.locator('pre').innerText()).toContain('if (a < b)')
  const links = await answer.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
  expect(links).toEqual(['https://example.org/?a=1', 'https://example.org/spy.png'])
  expect((await transcript(page))[0]).toContain(`<img src=x onerror="alert('img')"> <b>bold</b>`)
  expect((await transcript(page))[0]).toContain(`<script>alert('script')</script>`)
  expect(await answer.locator('img, script, b').count()).toBe(0)
  expect(requests.filter((url) => !url.startsWith('http://127.0.0.1') && !url.startsWith('blob:'))).toEqual([])
  await button(page, 'Fork here').waitFor()
})

test('a wide table scrolls, with its words whole', async () => {
  const { page } = demo
  const row = (cell: string): string => `|${`${cell}|`.repeat(30)}\n`
  await importText(page, sessionOf(row('head') + row('-') + row('word')))
  await page.getByRole('dialog', { name: 'Session imported' }).getByRole('link', { name: 'Open it' }).click()
  const cell = await page.getByRole('cell').first().boundingBox()
  expect(cell!.width).toBeGreaterThan(cell!.height)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
})

function sessionOf(text: string): string {
  const place = { turn: 1, step: 1 }
  const message = {
    id: 'm1',
    role: 'assistant',
    content: [{ type: 'text', text }],
    source: { kind: 'model', provider: 'a', model: 'b' },
  }
  const events = [
    { type: 'turn/start', data: { turn: 1 } },
    { type: 'step/start', data: place },
    { type: 'assistant/message', data: { ...place, message }, surfaceOp: 'append' },
    { type: 'step/end', data: place },
    { type: 'turn/end', data: { turn: 1, reason: { kind: 'completed' } } },
  ]
  const header = { type: 'session', version: 0, id: 'markdown', createdAt: 1, delegationDepth: 0 }
  const lines = events.map((event, seq) => ({ ...event, seq, time: 1 }))
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')
}
