/** Pages that end with the test that opened them. */
import { onTestFinished } from 'vitest'
import { openPage, type Page, type PageOptions } from './page.js'

export async function page(options?: PageOptions): Promise<Page> {
  const opened = await openPage(options)
  onTestFinished(() => opened.connection.end(new Error('the test is over')))
  return opened
}

/** Another tab: a second page on the same database. */
export function tab(first: Page, options?: PageOptions): Promise<Page> {
  return page({ ...options, name: first.name })
}
