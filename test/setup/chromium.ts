/** Chromium as a browser of Vitest that stores on the disk, with the back end that is asked for. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineBrowserProvider } from '@vitest/browser'
import { PlaywrightBrowserProvider } from '@vitest/browser-playwright'
import type { BrowserCommand, BrowserProviderOption, TestProject } from 'vitest/node'
import { backEndsOf, type BackEnd } from './back-end.js'
import { browsers } from './browsers.mjs'

declare module 'vitest/browser' {
  interface BrowserCommands {
    /** What the files of the profile say that the browser stores with. */
    backEnds: () => Promise<BackEnd[]>
  }
}

const FLAGS: Record<BackEnd, string[]> = {
  LevelDB: ['--disable-features=IdbSqliteBackingStore'],
  SQLite: ['--enable-features=IdbSqliteBackingStore'],
}

class Chromium extends PlaywrightBrowserProvider {
  readonly profile: string
  readonly #removeProfile: () => void

  constructor(project: TestProject, executablePath: string, backEnd: BackEnd) {
    // Without a folder of its own it would keep databases in memory.
    const profile = mkdtempSync(join(tmpdir(), 'idb-sessions-chromium-'))
    const args = [...browsers.chromium.flags, ...FLAGS[backEnd]]
    super(project, { persistentContext: profile, launchOptions: { executablePath, args } })
    this.profile = profile
    this.#removeProfile = () => rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    process.once('exit', this.#removeProfile)
  }

  override async close(): Promise<void> {
    await super.close()
    process.off('exit', this.#removeProfile)
    this.#removeProfile()
  }
}

export function chromium(executablePath: string, backEnd: BackEnd): BrowserProviderOption {
  return defineBrowserProvider({
    name: 'playwright',
    supportedBrowser: ['chromium'],
    options: {},
    providerFactory: (project) => new Chromium(project, executablePath, backEnd),
  })
}

export const backEnds: BrowserCommand = ({ provider }) =>
  provider instanceof Chromium ? backEndsOf(provider.profile) : []
