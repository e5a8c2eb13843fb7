import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { answers, ask, button, screenshot, send, sessions, useDemo } from './demo'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const demo = useDemo({ example: true })

interface Finding {
  id: string
  nodes: { html: string }[]
}

/** What stands in somebody's way, in short. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const violations: Finding[] = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  )
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

const views = (page: Page) => page.getByRole('navigation', { name: 'Views' })

/** Every place of the page, by a name. */
const places: Record<string, (page: Page) => Promise<unknown>> = {
  chat: (page) => answers(page).first().waitFor(),
  map: async (page) => {
    await views(page).getByRole('link', { name: 'Map' }).click()
    await page.getByRole('region', { name: 'Map of branches' }).waitFor()
  },
  compare: async (page) => {
    await views(page).getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('region', { name: 'How each goes on' }).waitFor()
  },
  log: async (page) => {
    await views(page).getByRole('link', { name: 'Log' }).click()
    await page.getByRole('region', { name: 'Events' }).waitFor()
  },
  new: async (page) => {
    await page.goto(page.url().replace(/#.*/, '#'))
    await page.getByRole('heading', { name: 'Ask, then' }).waitFor()
  },
  model: async (page) => {
    await page.getByRole('button', { name: 'Change the model' }).click()
    await page.getByRole('dialog').getByLabel('An OpenAI-compatible endpoint').check()
  },
}

/** What is found in all places, and by how much the widest does not fit into the window, px. */
async function visitAll(page: Page, look: string): Promise<{ found: string[]; width: number }> {
  const found: string[] = []
  let width = 0
  for (const [name, go] of Object.entries(places)) {
    await go(page)
    await screenshot(page, `${look}-${name}`)
    found.push(...(await findings(page)).map((finding) => `${name}: ${finding}`))
    width = Math.max(width, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth))
  }
  return { found, width }
}

test.each(['light', 'dark'] as const)('nothing stands in the way of anybody, in %s', async (colorScheme) => {
  const { page } = demo
  await page.emulateMedia({ colorScheme })
  expect((await visitAll(page, colorScheme)).found).toEqual([])
})

test.each([
  ['on a phone', { width: 390, height: 844 }],
  ['at a zoom of 200 %', { width: 640, height: 360 }],
])('nothing is cut off %s', async (_where, size) => {
  const { page } = demo
  await page.setViewportSize(size)
  expect(await visitAll(page, `${size.width}`)).toEqual({ found: [], width: 0 })
})

test('nothing jumps while an answer streams', async () => {
  const { page } = demo
  await answers(page).first().waitFor()
  await page.evaluate(() => {
    const shifts: number[] = []
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
    })
    observer.observe({ type: 'layout-shift' })
    Object.assign(globalThis, { shifts })
  })
  await send(page, 'Tell me a long story')
  await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts.splice(0))
  const header = await page.getByRole('heading', { level: 1 }).boundingBox()
  const composer = await page.getByLabel('Message').boundingBox()
  await answers(page).last().getByText('Close this tab').waitFor()
  expect(await page.getByRole('heading', { level: 1 }).boundingBox()).toEqual(header)
  expect(await page.getByLabel('Message').boundingBox()).toEqual(composer)
  const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts)
  // What is good, by the measure of the web vitals.
  expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThan(0.1)
  await button(page, 'Stop').click()
})

test('all can be reached and done by keyboard, with the focus in sight', async () => {
  const { page } = demo
  await ask(page, 'What is 2 + 2?')
  await page.locator('body').focus()
  const seen = new Map<string, string>()
  await page.getByRole('link', { name: 'New chat' }).focus()
  for (let i = 0; i < 40; i++) {
    const { name, outline } = await page.evaluate(() => {
      const at = document.activeElement!
      const name = at === document.body ? '' : (at.getAttribute('aria-label') ?? at.textContent ?? '')
      return { name: name.trim(), outline: getComputedStyle(at).outlineStyle }
    })
    if (name !== '') seen.set(name, outline)
    await page.keyboard.press('Tab')
  }
  expect([...seen.values()]).not.toContain('none')
  const wanted = ['Import', 'Chat', 'Map', 'Compare', 'Log', 'Rename', 'Export', 'Transcript', 'Edit', 'Fork here']
  expect([...seen.keys()]).toEqual(expect.arrayContaining(wanted))
  expect(await sessions(page).count()).toBe(2)
})
