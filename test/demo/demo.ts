// The demo in a browser of its own, driven as a person would: by what is written on the screen.
import { mkdirSync, readFileSync } from 'node:fs'
import { chromium, type Browser, type Locator, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest'
import { browsers, findBrowser } from '../setup/browsers.mjs'

export async function launch(): Promise<Browser> {
  const executablePath = await findBrowser(browsers.chromium)
  return chromium.launch({ args: browsers.chromium.flags, ...(executablePath && { executablePath }) })
}

interface DemoOptions {
  example?: boolean
  /** Errors that the tests are about. */
  expected?: RegExp
}

/**
 * Opens the demo and gives each test a fresh profile, without the example conversation unless a test is about it. A test
 * fails when its page reports an error.
 */
export function useDemo({ example = false, expected }: DemoOptions = {}): { readonly page: Page } {
  let browser: Browser
  let page: Page
  let errors: string[]

  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    const context = await browser.newContext({ locale: 'en-GB', serviceWorkers: 'block' })
    context.setDefaultTimeout(15_000)
    if (!example) await context.addInitScript(() => localStorage.setItem('idb-sessions-demo:greeted', 'before'))
    page = await context.newPage()
    errors = collectErrors(page)
    await page.goto(inject('demo'))
  })
  afterEach(async () => {
    await page.context().close()
    expect(errors.filter((error) => !expected?.test(error))).toEqual([])
  })
  return {
    get page() {
      return page
    },
  }
}

export function collectErrors(page: Page): string[] {
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  return errors
}

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

export const answers = (page: Page): Locator => page.getByRole('article', { name: 'Answer' })

/** Sends a prompt, and does not wait for the answer. */
export async function send(page: Page, prompt: string): Promise<void> {
  await page.getByLabel('Message').fill(prompt)
  await page.keyboard.press('Enter')
  await page.getByRole('article', { name: 'You' }).getByText(prompt, { exact: true }).last().waitFor()
}

/** Asks, and waits until the answer is finished and stored. */
export async function ask(page: Page, prompt: string): Promise<void> {
  await send(page, prompt)
  await isStored(page)
}

export async function isStored(page: Page): Promise<void> {
  await button(page, 'Send').waitFor()
  await page.getByText(/^(\d+) \/ \1 stored$/).waitFor()
}

/** All that the transcript says, entry by entry. */
export async function transcript(page: Page): Promise<string[]> {
  const entries = page.getByRole('log', { name: 'Transcript' }).getByRole('article')
  await entries.first().waitFor()
  return entries.allInnerTexts()
}

/** The links to the stored sessions, newest first. */
export const sessions = (page: Page): Locator =>
  page.getByRole('navigation', { name: 'Sessions' }).getByRole('listitem').getByRole('link')

export const actionsFor = (page: Page, title: string): Locator => button(page, `Actions for ${title}`)

/** Chooses from the menu of a session in the list. */
export async function choose(
  page: Page,
  title: string,
  action: 'Rename' | 'Fork' | 'Export' | 'Delete',
): Promise<void> {
  await actionsFor(page, title).click()
  await page.locator('.menu:popover-open').getByRole('button', { name: action }).click()
}

/** Deletes a session that is in the list. */
export async function remove(page: Page, title: string): Promise<void> {
  await choose(page, title, 'Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
}

/** Whether typing would go there; waits a moment for it. */
export async function hasFocus(element: Locator): Promise<boolean> {
  for (let tries = 0; tries < 20; tries++) {
    if (await element.evaluate((node) => node === document.activeElement)) return true
    await element.page().waitForTimeout(50)
  }
  return false
}

export async function downloadSession(page: Page): Promise<string> {
  const download = page.waitForEvent('download')
  await page.getByRole('main').getByRole('button', { name: 'Export' }).click()
  return readFileSync(await (await download).path(), 'utf8')
}

export async function importText(page: Page, text: string | Buffer, name = 'session.jsonl'): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await button(page, 'Import').click()
  const file = { name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) }
  await (await chooser).setFiles(file)
}

/** Saves what is on the screen to the folder that SCREENSHOTS names, if it names one. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png` })
}
