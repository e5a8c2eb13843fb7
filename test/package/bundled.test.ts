// The packed package in an application of each bundler, and under a strict policy, opened in Chromium.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { esbuildBuild, viteBuild, viteDev, vites, webpackBuild } from './bundlers'
import { newApplication } from './packed'
import { viteSetting } from './readme'
import { serve } from './serve'
import { outcome, useBrowser } from './visit'

/** Nothing but the page's own scripts, its worker among them. */
const STRICT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const OWN_WORKER = { main: 'own-worker.js', worker: 'idb-sessions/worker' }

/** Each gives the address of the page. */
const ways: Record<string, (folder: string) => Promise<string>> = {
  'Vite 8, dev': (folder) => viteDev(vites[8], folder),
  'Vite 8, build': (folder) => viteBuild(vites[8], folder),
  'Vite 7, dev, with the setting that the README names': (folder) => {
    writeFileSync(join(folder, 'vite.config.js'), `export default { ${viteSetting} }`)
    return viteDev(vites[7], folder, join(folder, 'vite.config.js'))
  },
  'Vite 7, build': (folder) => viteBuild(vites[7], folder),
  'webpack 5': (folder) => webpackBuild(folder),
  'esbuild, with the worker as an entry where the package looks for it': async (folder) =>
    serve(await esbuildBuild(folder, { main: 'main.js', 'worker/index': 'idb-sessions/worker' })),
  'esbuild, with the worker as an entry that the page passes': async (folder) =>
    serve(await esbuildBuild(folder, OWN_WORKER)),
  'a strict Content-Security-Policy, with a worker that the page passes': async (folder) =>
    serve(await esbuildBuild(folder, OWN_WORKER), { 'Content-Security-Policy': STRICT_POLICY }),
}

const browser = useBrowser()

test.each(Object.entries(ways))('%s', async (_, way) => {
  const { page, errors } = await browser.newPage()
  await page.goto(await way(newApplication()))
  expect(await outcome(page)).toMatchObject({ parent: ['one'], child: ['one', 'two'] })

  await page.reload()
  expect(await outcome(page)).toMatchObject({ loaded: true, parent: ['one'], child: ['one', 'two'] })
  expect(errors).toEqual([])
})
