/** One browser for all tests of a file, in which each of them has a database of its own. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { gecko, levelDB, sqlite, type Engine, type LaunchOptions } from '../faults/browser.js'
import { address, isLong } from './site.js'

/** How long a page is busy that cannot be told to stop, ms: longer than anybody waits for it. */
const BUSY = 8000

export class Browser {
  #context!: BrowserContext
  #count = 0

  constructor(
    readonly engine: Engine,
    private readonly profile: string,
    private readonly host: string | undefined,
  ) {}

  get isFirefox(): boolean {
    return this.engine === gecko
  }

  async launch(options?: LaunchOptions): Promise<void> {
    const args = this.host === undefined ? [] : [`--host-resolver-rules=MAP ${this.host} 127.0.0.1`]
    this.#context = await this.engine.launch(this.profile, { args, ...options })
  }

  /** What the next test opens shares nothing with what was. */
  next(): void {
    this.#count++
  }

  async closeTabs(): Promise<void> {
    // One stays: without any, the browser ends.
    const [, ...pages] = this.#context.pages()
    await Promise.all(pages.map((page) => page.close()))
  }

  async close(): Promise<void> {
    await this.#context.close()
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 })
  }

  /** A tab in which nothing is open yet. */
  async newTab(): Promise<Page> {
    const page = await this.#context.newPage()
    await page.goto(address(`test-${this.#count}`, this.host))
    return page
  }

  async open(): Promise<Page> {
    const page = await this.newTab()
    await ready(page)
    return page
  }

  async two(): Promise<[Page, Page]> {
    return [await this.open(), await this.open()]
  }

  /** The page can do nothing from now on, until the returned function has resolved. */
  async makeBusy(page: Page): Promise<() => Promise<void>> {
    // Firefox goes on hearing other tabs while a page waits for an answer.
    if (this.isFirefox) {
      const hogging = page.evaluate((time) => window.tab.hog(time), BUSY)
      return () => hogging
    }
    let answer = (): void => {}
    const asked = new Promise<void>((ask) => {
      void page.route('**/busy', (route) => {
        answer = () => void route.fulfill({ body: '' })
        ask()
      })
    })
    const waiting = page.evaluate(() => window.tab.waitBusily('/busy'))
    await asked
    return () => {
      answer()
      return waiting
    }
  }
}

/** The page of a tab that has just been loaded, or loaded again, with its store open. */
export async function ready(page: Page): Promise<void> {
  await page.waitForFunction(() => 'tab' in window)
  await page.evaluate(() => window.tab.open())
}

interface Choice extends LaunchOptions {
  engines?: readonly Engine[]
  /** Those of them that the short form takes: as a rule one of each browser. */
  short?: readonly Engine[]
  /** The tabs are at this host, over plain http; in Chromium. */
  host?: string
}

/** Runs the tests once for each browser that is there. */
export function inEach(body: (browser: Browser) => void, choice: Choice = {}): void {
  const { engines = [levelDB, sqlite, gecko], short = [levelDB, gecko], host, ...options } = choice
  for (const engine of engines) {
    const isLeftOut = !isLong && !short.includes(engine)
    const note = isLeftOut ? ' (long form only)' : ''
    describe.skipIf(engine.isMissing === true || isLeftOut)(`${engine.title}${note}`, () => {
      const browser = new Browser(engine, mkdtempSync(join(realpathSync(tmpdir()), 'idb-sessions-profile-')), host)
      beforeAll(() => browser.launch(options))
      afterAll(() => browser.close())
      beforeEach(() => browser.next())
      afterEach(() => browser.closeTabs())
      body(browser)
    })
  }
}
