// What the README says in code.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './packed'

const readme = readFileSync(join(repository, 'README.md'), 'utf8')

/** The fenced blocks of TypeScript. */
export const blocks = [...readme.matchAll(/^```(tsx?)\n(.*?)^```$/gms)].map(([, language, code]) => ({
  language: language!,
  code: code!,
}))

/** What stands in a line of text and is a whole expression. */
export const expressions = [...readme.matchAll(/`((?:openSessions\(|new [A-Z])[^`]+)`/g)].map(([, code]) => code!)

/** What Vite 6 and 7 need in development. */
export const viteSetting = found(/`(optimizeDeps: [^`]+)`/)

/** What webpack needs under Trusted Types. */
export const webpackSetting = found(/`(output: [^`]+)`/)

/** What all others need there: code that runs before anything else. */
export const trustedTypesPolicy = found(/^```js\n(trustedTypes\..*?)^```$/ms)

/** What a Content-Security-Policy has to allow. */
export const allowed = found(/`(script-src [^`]+)`/)

/** A worker of one's own: its module, how the page makes it, and the command that bundles both. */
export const ownWorker = {
  module: found(/^\/\/ worker\.ts\n(.*?)^```$/ms),
  page: found(/^(const worker = .*)$/m),
  command: found(/^(esbuild .*)$/m),
}

export const quickStart = blocks.find(({ code }) => code.includes('openSessions({'))!.code

/** What the quick start prints, as the comment behind it says. */
export const quickStartPrints = /^console\.log\(.*\) \/\/ (.*)$/m.exec(quickStart)![1]!

/** The quick start with the lines that it shows as a comment, for after a reload. */
export const quickStartContinued = quickStart.replace(
  /(^\/\/ After a reload:\n)((?:^\/\/ {3}.*\n)+)/m,
  (_, title, lines) => title + lines.replaceAll(/^\/\/ +/gm, ''),
)

function found(pattern: RegExp): string {
  return pattern.exec(readme)![1]!
}
