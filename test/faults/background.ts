/** A browser whose background tabs are hidden, as a person's are. Those that Playwright launches count as visible and focused. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type BrowserContext } from 'playwright'
import { expect, onTestFinished } from 'vitest'
import { browsers, findBrowser } from '../setup/browsers.mjs'
import { ended, newProfile, processes, signal } from './browser.js'

/** @param more flags of the command line */
export async function launchWithHiddenTabs(more: string[] = []): Promise<BrowserContext> {
  const profile = newProfile()
  const flags = ['--headless', '--no-sandbox', '--remote-debugging-port=0', `--user-data-dir=${profile}`]
  // Its own first page changes its process while it loads, and connecting at that moment waits for ever.
  const args = [...browsers.chromium.flags, ...flags, ...more, 'about:blank']
  spawn((await findBrowser(browsers.chromium))!, args, { stdio: 'ignore' })
  onTestFinished(async () => {
    const pids = processes(profile)
    signal(pids, 'SIGKILL')
    // Its profile is removed next.
    await ended(pids)
  })
  await expect.poll(() => portOf(profile), { timeout: 20_000 }).toBeGreaterThan(0)
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${portOf(profile)}`, { noDefaults: true })
  onTestFinished(() => browser.close())
  return browser.contexts()[0]!
}

/** Where the browser listens; 0 until it does. */
function portOf(profile: string): number {
  try {
    return Number(readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n')[0])
  } catch {
    return 0
  }
}
