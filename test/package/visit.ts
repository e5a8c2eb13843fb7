import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { collectErrors, launch } from '../demo/demo'
import type { Outcome } from './app/app.js'

/** A browser for the tests of a file; each test that opens a page gets a fresh profile. */
export function useBrowser(): { newPage(): Promise<{ page: Page; errors: string[] }> } {
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

/** Waits until the application has finished. */
export async function outcome(page: Page): Promise<Outcome> {
  return JSON.parse((await page.locator('output').textContent())!) as Outcome
}
