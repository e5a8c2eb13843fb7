import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { collectErrors, launch } from '../demo/demo'
import type { Outcome } from './app/app.js'

interface TestBrowser {
  newPage(): Promise<{ page: Page; errors: string[] }>
}

/** A browser for the tests of a file; each test that opens a page gets a fresh profile. */
export function useBrowser(): TestBrowser {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())
  return {
    async newPage() {
      const context = await browser.newContext()
      onTestFinished(() => context.close())
      const page = await context.newPage()
      return { page, errors: collectErrors(page) }
    },
  }
}

/** The application forks a conversation, reads both back after a reload, and the browser has nothing to complain of. */
export async function expectForks(browser: TestBrowser, url: string): Promise<void> {
  const { page, errors } = await browser.newPage()
  await page.goto(url)
  expect(await outcome(page)).toMatchObject({ loaded: false, parent: ['one'], child: ['one', 'two'] })

  await page.reload()
  expect(await outcome(page)).toMatchObject({ loaded: true, parent: ['one'], child: ['one', 'two'] })
  expect(errors).toEqual([])
}

/** Waits until the application has finished. */
export async function outcome(page: Page): Promise<Outcome> {
  return JSON.parse((await page.locator('output').textContent())!) as Outcome
}
