import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { answers, ask, button, hasFocus, importText, screenshot, send, useDemo } from './demo'

const demo = useDemo()

test('4,000 turns open at their end, stay smooth while an answer streams, and are found by keyboard', async () => {
  const { page } = demo
  await importText(page, longSession(4000))
  const open = page.getByRole('dialog', { name: 'Session imported' }).getByRole('link', { name: 'Open it' })
  await open.waitFor()
  await watchLongTasks(page)
  await open.click()
  await answers(page).getByText('Answer 3999').waitFor()
  const opening = await longTasks(page)
  await atEnd(page)
  // Only what is in sight is in the page.
  expect(await page.getByRole('article').count()).toBeLessThan(80)
  expect(await page.getByRole('listitem').filter({ hasText: 'Prompt 3999' }).getAttribute('aria-setsize')).toBe('4000')

  await send(page, 'Tell me a long story')
  await answers(page).last().getByText('Each word of this answer').waitFor()
  await longTasks(page)
  const frames = await countFrames(page, 2000)
  const streaming = await longTasks(page)
  await atEnd(page)
  await screenshot(page, 'long')
  await button(page, 'Stop').click()
  await button(page, 'Send').waitFor()
  console.log(
    `4,000 turns: longest task ${opening} ms to open, ${streaming} ms while streaming at ${frames} frames a second`,
  )
  expect(opening).toBeLessThan(3000)
  expect(streaming).toBeLessThan(500)

  const log = page.getByRole('log')
  await log.focus()
  await page.keyboard.press('Home')
  await page.getByText('Prompt 0', { exact: true }).waitFor()
  await screenshot(page, 'long-start')
  await page.keyboard.press('End')
  await answers(page).last().getByText('Stopped.').waitFor()
})

test('a map and a comparison of 2,000 turns open at once, the turns in common when one asks for them', async () => {
  const { page } = demo
  await importText(page, longSession(2000))
  await page.getByRole('dialog', { name: 'Session imported' }).getByRole('link', { name: 'Open it' }).click()
  await answers(page).getByText('Answer 1999').waitFor()
  await button(page, 'Fork here').last().click()
  await page.getByRole('heading', { name: 'Untitled (1)' }).waitFor()
  await ask(page, 'On my own')
  await watchLongTasks(page)
  const views = page.getByRole('navigation', { name: 'Views' })
  await views.getByRole('link', { name: 'Compare' }).click()
  await page.getByRole('heading', { name: 'Both begin with these 2000 turns' }).waitFor()
  const comparing = await longTasks(page)
  await page.getByText('The 1999 turns before').click()
  await page.getByText('Prompt 1998', { exact: true }).waitFor()
  expect(await page.getByRole('article', { name: 'You' }).count()).toBe(52)
  await button(page, 'Show more (1949 are left)').click()
  await page.getByText('Prompt 1900', { exact: true }).waitFor()
  await longTasks(page)
  await views.getByRole('link', { name: 'Map' }).click()
  await page.getByRole('link', { name: 'Turn 2001: On my own' }).waitFor()
  const mapping = await longTasks(page)
  console.log(`2,000 turns: longest task ${comparing} ms to compare, ${mapping} ms for the map`)
  expect(Math.max(comparing, mapping)).toBeLessThan(2000)

  // It begins where the session ends, and each turn leads to its place.
  expect(await page.getByRole('link', { name: 'Turn 2001: On my own' }).evaluate(isInSight)).toBe(true)
  await page.getByRole('link', { name: 'Turn 1001: Prompt 1000' }).press('Enter')
  await page.getByText('Prompt 1000', { exact: true }).waitFor()
  expect(await page.getByText('Prompt 1000', { exact: true }).evaluate(isInSight)).toBe(true)
  await ask(page, 'And on')
  await atEnd(page)
})

test('what a search has found is in sight when it is opened', async () => {
  const { page } = demo
  await importText(page, longSession(300))
  await page.getByRole('dialog', { name: 'Session imported' }).getByRole('button', { name: 'Close' }).click()
  await page.getByRole('searchbox').fill('prompt 77')
  await page.getByRole('navigation').getByText('Prompt 77').click()
  await page.getByRole('log').getByText('Prompt 77', { exact: true }).waitFor()
  expect(await page.getByRole('log').getByText('Prompt 77', { exact: true }).evaluate(isInSight)).toBe(true)
})

test('who reads further up is left there while the answer goes on, and keeps the focus', async () => {
  const { page } = demo
  await importText(page, longSession(60))
  await page.getByRole('dialog', { name: 'Session imported' }).getByRole('link', { name: 'Open it' }).click()
  await send(page, 'Tell me a long story')
  await answers(page).last().getByText('Each word of this answer').waitFor()
  const edit = page.getByRole('listitem').filter({ hasText: 'Prompt 30' }).getByRole('button', { name: 'Edit' })
  const log = page.getByRole('log')
  await log.focus()
  await page.keyboard.press('Home')
  for (let i = 0; i < 40 && (await edit.count()) === 0; i++) {
    await page.keyboard.press('PageDown')
    await page.waitForTimeout(100)
  }
  await edit.focus()
  // The browser glides there.
  await page.waitForTimeout(500)
  const before = await edit.boundingBox()
  await page.waitForTimeout(1000)
  const after = await edit.boundingBox()
  expect(Math.abs(after!.y - before!.y)).toBeLessThan(2)
  // Scrolled far out of sight, the focus is still where it was.
  await log.evaluate((box) => box.scrollTo(0, 0))
  await page.getByText('Prompt 0', { exact: true }).waitFor()
  expect(await hasFocus(edit)).toBe(true)
  await button(page, 'Stop').click()
})

test('nothing jumps while an answer streams and when it ends', async () => {
  const { page } = demo
  await ask(page, 'First')
  const prompt = page.getByRole('article', { name: 'You' }).first()
  const before = await prompt.boundingBox()
  await send(page, 'Second')
  for (let i = 0; i < 10; i++) {
    expect((await prompt.boundingBox())!.y).toBe(before!.y)
    await page.waitForTimeout(100)
  }
})

function isInSight(element: Element): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect()
  return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight
}

async function atEnd(page: Page): Promise<void> {
  const left = (): Promise<number> =>
    page.getByRole('log').evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight)
  await expect.poll(left).toBeLessThan(48)
}

async function watchLongTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen: number[] = Object.assign(window, { longTasks: [] }).longTasks
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.push(Math.round(duration))
    }).observe({ entryTypes: ['longtask'] })
  })
}

/** The longest since it was asked last, ms. */
function longTasks(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, ...(window as unknown as { longTasks: number[] }).longTasks.splice(0)))
}

function countFrames(page: Page, ms: number): Promise<number> {
  return page.evaluate(
    (ms) =>
      new Promise<number>((resolve) => {
        const start = performance.now()
        let frames = 0
        const next = (now: number): void => {
          frames++
          if (now - start < ms) requestAnimationFrame(next)
          else resolve(Math.round((frames * 1000) / (now - start)))
        }
        requestAnimationFrame(next)
      }),
    ms,
  )
}

function longSession(turns: number): string {
  const lines: object[] = [{ type: 'session', version: 0, id: `long-${turns}`, createdAt: 1, delegationDepth: 0 }]
  const add = (type: string, data: object, more: object = {}): void => {
    lines.push({ type, seq: lines.length - 1, time: lines.length, data, ...more })
  }
  for (let turn = 1; turn <= turns; turn++) {
    const place = { turn, step: 1 }
    const n = turn - 1
    const text = `Answer ${n}. ${'It goes on, and says **something** more. '.repeat(n % 9)}`
    const source = { kind: 'model', provider: 'a', model: 'b' }
    add('turn/start', { turn })
    add('step/start', place)
    const prompt = [{ type: 'text', text: `Prompt ${n}` }]
    add(
      'user/message',
      { id: `u${n}`, role: 'user', content: prompt, source: { kind: 'user' } },
      { surfaceOp: 'append' },
    )
    const message = { id: `a${n}`, role: 'assistant', content: [{ type: 'text', text }], source }
    add('assistant/message', { ...place, message }, { surfaceOp: 'append' })
    add('step/end', place)
    add('turn/end', { turn, reason: { kind: 'completed' } })
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}
