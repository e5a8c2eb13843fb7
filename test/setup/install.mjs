// `npm run setup`: finds or installs what the tests need besides npm's packages. Changes nothing if all is there.
import { spawnSync } from 'node:child_process'
import { missing } from '../oracle/connect.mjs'
import { browsers, findBrowser, findCommand, isRequired } from './browsers.mjs'

/** @import { Browser } from './browsers.mjs' */

for (const browser of Object.values(browsers)) {
  const { title, variable } = browser
  const chosen = process.env[variable]
  const found = await findBrowser(browser)
  const path = found ?? (chosen ? undefined : await install(browser))
  if (path) {
    console.log(`${title}: ${found ? 'found' : 'installed'} ${path}`)
    continue
  }
  if (isRequired(browser)) process.exitCode = 1
  console.error(
    chosen
      ? `${title}: ${variable} is set to ${chosen}, which is not a program${besides(browser)}. Correct it or unset it.`
      : `${title} could not be installed. Install it yourself, put it on PATH or name it in ${variable}, and run this again.`,
  )
  if (!isRequired(browser)) console.error(`Without ${title} its tests will be skipped, by name.`)
}

// Without the published DSH packages the tests that ask them are skipped.
if (missing !== undefined && run(['npm', 'ci', '--prefix', 'test/oracle']) !== 0) {
  console.error('The DSH packages could not be installed; the tests that ask them will be skipped, by name.')
  // Where agreement has to be measured, a run that did not is no success.
  if (process.env['CI']) process.exitCode = 1
}

function besides(/** @type {Browser} */ { needs }) {
  return needs ? `, or ${needs.join(', ')} is missing` : ''
}

/** @param {Browser} browser */
async function install(browser) {
  console.log(`${browser.title}: not found, installing it`)
  for (const tryToInstall of [withApt, withPlaywright]) {
    tryToInstall(browser)
    const path = await findBrowser(browser)
    if (path) return path
  }
  return undefined
}

/** Preferred where it exists, because the package brings the libraries that the browser needs. */
function withApt(/** @type {Browser} */ { debian }) {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo']
  if (!['apt-get', ...sudo].every((name) => findCommand([name]))) return
  const apt = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get']
  run([...apt, 'update', '-qq'])
  run([...apt, 'install', '-y', '-qq', '--no-install-recommends', ...debian])
}

function withPlaywright(/** @type {Browser} */ { playwright }) {
  if (playwright !== undefined) run(['npx', 'playwright', 'install', playwright])
}

/** @param {string[]} command */
function run(command) {
  console.log(`$ ${command.join(' ')}`)
  const [program = '', ...args] = command
  // npx is a script on Windows, which only a shell starts.
  return spawnSync(program, args, { stdio: 'inherit', shell: process.platform === 'win32' }).status
}
