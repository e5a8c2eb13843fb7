/**
 * Stock Firefox as a browser of Vitest: started with the address of the page, and otherwise left alone. When it is
 * driven by Playwright it keeps a record of all requests, and slows down more and more: each test starts a worker.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineBrowserProvider } from '@vitest/browser'
import type { BrowserProvider, BrowserProviderOption } from 'vitest/node'
import { Programs } from './programs.js'

const PREFERENCES = {
  // No questions, and no pages of its own.
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  // No talk with the vendor's servers.
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.newtabpage.activity-stream.feeds.topsites': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.search.update': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#none/v1',
  'toolkit.telemetry.enabled': false,
  // Nobody is there to answer when a page asks for persistent storage.
  'dom.storageManager.prompt.testing': true,
  'dom.storageManager.prompt.testing.allow': true,
}

class Firefox implements BrowserProvider {
  readonly name = 'firefox'
  readonly supportsParallelism = false
  #programs: Programs | undefined

  constructor(readonly program: string) {}

  async openPage(_: string, url: string): Promise<void> {
    await this.close()
    this.#programs = new Programs(this.name)
    const { folder } = this.#programs
    const lines = Object.entries(PREFERENCES).map(
      (preference) => `user_pref(${JSON.stringify(preference).slice(1, -1)});`,
    )
    writeFileSync(join(folder, 'user.js'), lines.join('\n'))
    this.#programs.start(this.program, ['--headless', '--no-remote', '--profile', folder, url])
  }

  /** Nothing for commands to work with. */
  getCommandsContext(): Record<string, unknown> {
    return {}
  }

  async close(): Promise<void> {
    await this.#programs?.end()
    this.#programs = undefined
  }
}

export function firefox(program: string): BrowserProviderOption {
  return defineBrowserProvider({
    name: 'firefox',
    supportedBrowser: ['firefox'],
    options: {},
    providerFactory: () => new Firefox(program),
  })
}
