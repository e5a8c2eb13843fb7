// The packed package on pages that refuse whatever is not allowed, with what the README says that it needs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { esbuildBuild, viteBuild, vites, webpackBuild } from './bundlers'
import { newApplicationWithWorker } from './own-worker'
import { newApplication } from './packed'
import { allowed, ownWorker, trustedTypesPolicy, webpackSetting } from './readme'
import { serve } from './serve'
import { expectForks, useBrowser } from './visit'

const browser = useBrowser()

/** Serves a build under a policy that allows what it names, the page's icon, and nothing else. */
function serveUnder(policy: string, dist: string): Promise<string> {
  const nothingElse = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  return serve(dist, { headers: { 'Content-Security-Policy': `${policy}; ${nothingElse}` } })
}

describe('a strict Content-Security-Policy', () => {
  test.each<[string, () => Promise<string>]>([
    ["Vite 8, the package's own worker", () => viteBuild(vites[8], newApplication())],
    ["webpack 5, the package's own worker", () => webpackBuild(newApplication())],
    ['esbuild, a worker that the page passes', () => esbuildBuild(newApplicationWithWorker(), ownWorker.command)],
  ])('%s', async (_, build) => {
    await expectForks(browser, await serveUnder(allowed, await build()))
  })

  test.each<[string, () => Promise<string>]>([
    ['Vite 8', () => viteBuild(vites[8], newApplication(), "html: { cspNonce: 'n' }")],
    ['webpack 5', async () => withNonce(await webpackBuild(newApplication()))],
  ])('%s, scripts by a nonce', async (_, build) => {
    await expectForks(browser, await serveUnder(allowed.replace("'self'", "'nonce-n'"), await build()))
  })
})

describe("Trusted Types: require-trusted-types-for 'script'", () => {
  const trusted = `${allowed}; require-trusted-types-for 'script'`

  test('webpack 5, with the setting that the README names', async () => {
    // Its policy has the name of the application's package.
    const policy = `${trusted}; trusted-types application`
    await expectForks(browser, await serveUnder(policy, await webpackBuild(newApplication(), webpackSetting)))
  })

  test.each<[string, () => Promise<string>]>([
    ['Vite 8', () => viteBuild(vites[8], withPolicy(newApplication(), 'main.js'))],
    ['webpack 5', () => webpackBuild(withPolicy(newApplication(), 'main.js'))],
    [
      'esbuild, a worker that the page passes',
      () => esbuildBuild(withPolicy(newApplicationWithWorker(), 'main.ts'), ownWorker.command),
    ],
  ])('%s, with the policy that the README shows', async (_, build) => {
    await expectForks(browser, await serveUnder(`${trusted}; trusted-types default`, await build()))
  })
})

/** Imports are hoisted, so it is made before the application starts, wherever it stands. */
function withPolicy(folder: string, main: string): string {
  const file = join(folder, main)
  writeFileSync(file, `${trustedTypesPolicy}${readFileSync(file, 'utf8')}`)
  return folder
}

function withNonce(dist: string): string {
  const page = join(dist, 'index.html')
  writeFileSync(page, readFileSync(page, 'utf8').replace('<script', '<script nonce="n"'))
  return dist
}
