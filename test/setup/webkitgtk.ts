/** WebKitGTK as a browser of Vitest: the WebDriver and the small browser that Debian builds with it. */
import { defineBrowserProvider } from '@vitest/browser'
import type { BrowserProvider, BrowserProviderOption } from 'vitest/node'
import { WebDriver } from './webdriver.js'

/** What Safari has had for years, and this build leaves to be switched on. */
const FEATURES = '--features=+StorageAPI,+StorageAPIEstimate'

class WebKitGTK implements BrowserProvider {
  readonly name = 'webkitgtk'
  readonly supportsParallelism = false
  #driver: Promise<WebDriver> | undefined

  constructor(readonly program: string) {}

  async openPage(_: string, url: string): Promise<void> {
    this.#driver ??= WebDriver.start(this.program, {
      'webkitgtk:browserOptions': { args: ['--automation', FEATURES] },
    })
    await (await this.#driver).go(url)
  }

  /** Nothing for commands to work with. */
  getCommandsContext(): Record<string, unknown> {
    return {}
  }

  async close(): Promise<void> {
    const driver = this.#driver
    this.#driver = undefined
    // That it did not start has been told by `openPage`.
    await (await driver?.catch(() => undefined))?.close()
  }
}

/** `program`: the WebDriver. */
export function webkitgtk(program: string): BrowserProviderOption {
  return defineBrowserProvider({
    name: 'webkitgtk',
    supportedBrowser: ['webkit'],
    options: {},
    providerFactory: () => new WebKitGTK(program),
  })
}
