// Runs before `npm test`: says what is missing, instead of letting every browser test fail with a launch error.
import { browsers, findBrowser, isRequired } from './browsers.mjs'

for (const browser of Object.values(browsers)) {
  if (await findBrowser(browser)) continue
  const { title } = browser
  if (isRequired(browser)) {
    process.exitCode = 1
    console.error(
      `${title} is missing, and the browser tests need it. Run \`npm run setup\`, or \`npm run test:node\` for the tests that need no browser.`,
    )
  } else console.warn(`${title} is missing: its tests will be skipped. \`npm run setup\` installs it where it can.`)
}
