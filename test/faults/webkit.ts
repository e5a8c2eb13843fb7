/**
 * WebKitGTK on a profile of its own. Under a driver it keeps its databases in memory: here the small browser that is built
 * with it runs as a person's would, and its page asks what to do.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { browsers, findBrowser } from '../setup/browsers.mjs'
import { startDisplay } from '../setup/display.js'
import { Programs } from '../setup/programs.js'
import { Asked } from './asked.js'
import { ended, filesUnder, signal, withStarted } from './browser.js'
import type { Killable } from './killable.js'
import { address } from './site.js'

const program = findMiniBrowser()
const isMissing = program === undefined || (await findBrowser(browsers.webkit)) === undefined

export const webkit: Killable = {
  title: isMissing ? 'WebKitGTK (not installed)' : 'WebKitGTK',
  isMissing,
  files: (profile) => filesUnder(profile),
  start: async (profile, ledger) => {
    const page = new Asked(ledger)
    onTestFinished(() => page.close())
    const programs = new Programs('webkit')
    onTestFinished(() => programs.end())
    const env = {
      DISPLAY: await startDisplay(programs),
      HOME: profile,
      XDG_DATA_HOME: join(profile, 'data'),
      XDG_CACHE_HOME: join(profile, 'cache'),
      XDG_CONFIG_HOME: join(profile, 'config'),
    }
    // What Safari has had for years, and this build leaves to be switched on.
    const args = ['--features=+StorageAPI,+StorageAPIEstimate', `${address()}?ask=${await page.listen()}`]
    const browser = programs.start(program!, args, env)
    const kill = async (): Promise<void> => {
      const pids = withStarted(browser.pid!)
      // Its database is in a process of its own.
      expect(pids.length).toBeGreaterThan(2)
      signal(pids, 'SIGKILL')
      await ended(pids)
      page.close()
      await programs.end()
    }
    // 'gone' works as well; what is refused gives its code.
    expect(await page.evaluate(() => window.faults.open())).toMatch(/^(ready|gone)$/)
    return { page, kill }
  },
}

/** Beside the library, where no PATH leads: `/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1` on Debian. */
function findMiniBrowser(): string | undefined {
  if (process.platform !== 'linux') return undefined
  const folders = ['/usr/libexec', ...readdirSync('/usr/lib').map((name) => join('/usr/lib', name))]
  const names = ['webkit2gtk-4.1', 'webkit2gtk-4.0', 'webkitgtk-6.0']
  return folders.flatMap((folder) => names.map((name) => join(folder, name, 'MiniBrowser'))).find(existsSync)
}
