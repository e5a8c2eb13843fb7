// The browsers the tests drive, and where this machine has them.
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * @typedef {object} Browser
 * @property {string} title what people call it
 * @property {string} variable names an executable to use instead of any other
 * @property {string[]} commands looked for on PATH, the first one found wins
 * @property {string[]} [needs] commands that have to be on PATH besides
 * @property {'chromium'} [playwright] Playwright's name for it, if Playwright's own build will do
 * @property {string[]} debian the packages that bring one of `commands` and what it needs
 * @property {string[]} flags keep a test run from talking to the vendor's servers and from drawing on a GPU
 * @property {boolean} [optional] the tests that need it are skipped by name where it is missing, but not in CI
 */

/** @satisfies {Record<string, Browser>} */
export const browsers = {
  chromium: {
    title: 'Chromium',
    variable: 'CHROMIUM',
    commands: ['chromium', 'chromium-browser', 'google-chrome'],
    playwright: 'chromium',
    debian: ['chromium'],
    flags: [
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-gpu',
      '--disable-quic',
      '--disable-sync',
      '--no-first-run',
    ],
  },
  firefox: {
    title: 'Firefox',
    variable: 'FIREFOX',
    commands: ['firefox-esr', 'firefox'],
    debian: ['firefox-esr'],
    flags: [],
    optional: true,
  },
  webkit: {
    title: 'WebKitGTK',
    // Its WebDriver knows the browser that was built with it.
    variable: 'WEBKIT_DRIVER',
    commands: ['WebKitWebDriver'],
    // It has no headless mode.
    needs: ['Xvfb'],
    debian: ['webkit2gtk-driver', 'xvfb'],
    flags: [],
    optional: true,
  },
}

/**
 * The executable to launch, or undefined if there is none. What the variable names is not second-guessed: if it is not
 * there, nothing else is taken in its place.
 * @param {Browser} browser
 * @returns {Promise<string | undefined>}
 */
export async function findBrowser(browser) {
  if (browser.needs?.some((name) => !findCommand([name]))) return undefined
  const chosen = process.env[browser.variable]
  if (chosen) return isExecutable(chosen) ? chosen : undefined
  return findCommand(browser.commands) ?? (await findPlaywrights(browser))
}

/** Whether a run without this browser is no success. */
export function isRequired(/** @type {Browser} */ { optional = false }) {
  return !optional || Boolean(process.env['CI'])
}

/**
 * @param {string[]} names
 * @returns {string | undefined}
 */
export function findCommand(names) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

/** @param {Browser} browser */
async function findPlaywrights(browser) {
  if (browser.playwright === undefined) return undefined
  const { [browser.playwright]: type } = await import('playwright')
  const path = type.executablePath()
  return isExecutable(path) ? path : undefined
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
