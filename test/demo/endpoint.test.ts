import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { answers, ask, button, downloadSession, isStored, screenshot, send, transcript, useDemo } from './demo'
import { call, serveEndpoint, text, type TestEndpoint } from './endpoint'

// What a server refuses, the browser reports as an error of the page.
const demo = useDemo({ expected: /status of (401|502)/ })

async function use(page: Page, { address }: TestEndpoint, { key = '', keep = false } = {}): Promise<void> {
  await page.getByRole('button', { name: 'Change the model' }).click()
  const dialog = page.getByRole('dialog', { name: 'Who answers?' })
  await dialog.getByLabel('An OpenAI-compatible endpoint').check()
  await dialog.getByLabel('Address').fill(address)
  await dialog.getByLabel('Model', { exact: true }).and(page.locator('input')).fill('tiny-1')
  await dialog.getByLabel('Key', { exact: true }).fill(key)
  await dialog.getByLabel('Keep the key in this browser').setChecked(keep)
  await screenshot(page, keep ? 'model-kept' : 'model')
  await dialog.getByRole('button', { name: 'Use it' }).click()
  await page.getByRole('button', { name: 'model: tiny-1' }).waitFor()
}

test('an endpoint answers, calls the tools of the page, and is told what came of it', async () => {
  const { page } = demo
  const endpoint = await serveEndpoint([
    { deltas: [{ reasoning_content: 'A sum.' }, ...call('calculator', { expression: '6 * 7' })], ends: 'tool_calls' },
    { deltas: text('It is ', '**42**.'), ends: 'stop' },
    { deltas: text('As I said.'), ends: 'stop' },
  ])
  await use(page, endpoint, { key: 'secret' })
  await ask(page, 'What is 6 times 7?')
  expect((await transcript(page))[1]).toContain('It is 42.')
  await answers(page).getByText('calculator').click()
  await answers(page).getByText('{"expression":"6 * 7"}').waitFor()
  expect(endpoint.requests[1]!.body).toMatchObject({
    model: 'tiny-1',
    messages: [{ role: 'user', content: 'What is 6 times 7?' }, { role: 'assistant' }, { role: 'tool', content: '42' }],
  })
  // The same session goes on after a reload, with the same model and key.
  await page.reload()
  await ask(page, 'Are you sure?')
  expect(endpoint.requests[2]!.headers.authorization).toBe('Bearer secret')
  expect(endpoint.requests[2]!.body.messages).toHaveLength(5)
})

test('calls that a server sends whole and without an id are told apart', async () => {
  const { page } = demo
  const whole = (expression: string): object => ({
    tool_calls: [
      {
        id: null,
        index: Number(expression[0]),
        function: { name: 'calculator', arguments: JSON.stringify({ expression }) },
      },
    ],
  })
  const endpoint = await serveEndpoint([
    { deltas: [whole('0 + 7'), whole('1 + 1')], ends: 'tool_calls' },
    { deltas: text('Both.'), ends: 'stop' },
  ])
  await use(page, endpoint)
  await ask(page, 'Two sums')
  const results = endpoint.requests[1]!.body.messages.slice(2)
  expect(results).toMatchObject([{ content: '7' }, { content: '2' }])
})

test('the key stays in the tab, unless one wants it kept; it is in no session', async () => {
  const { page } = demo
  const endpoint = await serveEndpoint([{ deltas: text('Hello'), ends: 'stop' }])
  await use(page, endpoint, { key: 'secret' })
  await ask(page, 'Hi')
  expect(await downloadSession(page)).not.toContain('secret')
  expect(await keyInAnotherTab(page)).toBe('')
  await use(page, endpoint, { key: 'secret', keep: true })
  expect(await keyInAnotherTab(page)).toBe('secret')
  await use(page, endpoint, { key: 'secret' })
  expect(await keyInAnotherTab(page)).toBe('')
})

test('a server that is silent is stopped by hand, and what it said is kept', async () => {
  const { page } = demo
  const endpoint = await serveEndpoint([{ deltas: text('Let me', ' think'), ends: 'silent' }])
  await use(page, endpoint)
  await send(page, 'Hi')
  await answers(page).getByText('Let me think').waitFor()
  await button(page, 'Stop').click()
  await answers(page).getByText('Stopped.').waitFor()
  await expect.poll(() => endpoint.open()).toBe(0)
})

test('what goes wrong at the server is told in its words, and can be tried again', async () => {
  const { page } = demo
  const endpoint = await serveEndpoint([
    { status: 401, message: 'this key is unknown' },
    { deltas: text('Half an'), ends: { error: 'the machine is on fire' } },
    { deltas: text('Half an'), ends: 'closed' },
    { deltas: text('As long as I may'), ends: 'length' },
    { deltas: text('Whole'), ends: 'stop' },
  ])
  await use(page, endpoint)
  await ask(page, 'Hi')
  for (const told of [
    'Failed: HTTP 401: this key is unknown.',
    'Failed: the machine is on fire.',
    'Failed: the connection was closed in the middle of the answer.',
    'Cut off: the model had no tokens left.',
  ]) {
    await answers(page).getByText(told).waitFor()
    await button(page, 'Try again').click()
  }
  await answers(page).getByText('Whole').waitFor()
  await isStored(page)
  expect(endpoint.requests).toHaveLength(5)
})

test('a server that is none for models is told apart, with what to look at', async () => {
  const { page } = demo
  const endpoint = await serveEndpoint([
    { status: 200, page: '<h1>Welcome</h1>' },
    { status: 502, page: '<h1>Bad gateway</h1>' },
    { status: 401, message: 'This key is unknown.' },
    { event: 'null' },
    { event: '{"error":"the machine is on fire"}' },
    { deltas: text('Whole'), ends: 'stop' },
  ])
  await use(page, endpoint)
  await ask(page, 'Hi')
  const look = 'Try again; if that does not help, look at the address, the model and the key'
  for (const told of [
    `Failed: HTTP 200: a web page came in place of an answer. ${look}`,
    `Failed: HTTP 502: a web page came in place of an answer. ${look}`,
    `Failed: HTTP 401: This key is unknown. ${look}`,
    'Failed: the server sent JSON that is no piece of an answer.',
    'Failed: the machine is on fire.',
  ]) {
    await answers(page).getByText(told).waitFor()
    await button(page, 'Try again').click()
  }
  await answers(page).getByText('Whole').waitFor()
  await isStored(page)
  expect(endpoint.requests).toHaveLength(6)
})

test('a model that calls tools for ever is stopped', async () => {
  const { page } = demo
  const endpoint = await serveEndpoint(
    Array.from({ length: 30 }, () => ({ deltas: call('clock', {}), ends: 'tool_calls' as const })),
  )
  await use(page, endpoint)
  await ask(page, 'What time is it?')
  await answers(page).getByText('Failed: the model called tools in 25 steps on end.').waitFor()
  expect(endpoint.requests).toHaveLength(25)
})

test('an address that would send the key in the clear is not taken', async () => {
  const { page } = demo
  await page.getByRole('button', { name: 'Change the model' }).click()
  const address = page.getByRole('dialog').getByLabel('Address')
  await page.getByRole('dialog').getByLabel('An OpenAI-compatible endpoint').check()
  const isTaken = async (value: string): Promise<boolean> => {
    await address.fill(value)
    return address.evaluate((input: HTMLInputElement) => input.checkValidity())
  }
  expect(await isTaken('http://example.org/v1')).toBe(false)
  expect(await isTaken('http://localhost.example.org/v1')).toBe(false)
  expect(await isTaken('https://example.org/v1')).toBe(true)
  expect(await isTaken('http://localhost:11434/v1')).toBe(true)
})

async function keyInAnotherTab(page: Page): Promise<string> {
  const tab = await page.context().newPage()
  await tab.goto(page.url().replace(/#.*/, ''))
  await tab.getByRole('button', { name: 'Change the model' }).click()
  const key = await tab.getByRole('dialog').getByLabel('Key', { exact: true }).inputValue()
  await tab.close()
  return key
}
