// Runs before `npm test`: says what is missing, instead of letting every browser test fail with a launch error.
import { browsers, findBrowser } from './browsers.mjs'

for (const browser of Object.values(browsers)) {
  if (await findBrowser(browser)) continue
  process.exitCode = 1
  console.error(
    `${browser.title} is missing, and the browser tests need it. Run \`npm run setup\`, or \`npm run test:node\` for the tests that need no browser.`,
  )
}
