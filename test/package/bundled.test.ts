// The packed package in an application of each bundler, with what the README says that it needs, opened in Chromium.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { esbuildBuild, viteBuild, viteDev, vites, webpackBuild } from './bundlers'
import { newApplicationWithWorker } from './own-worker'
import { newApplication } from './packed'
import { ownWorker, viteSetting } from './readme'
import { serve } from './serve'
import { expectForks, useBrowser } from './visit'

/** Each gives the address of the page. */
const ways: Record<string, () => Promise<string>> = {
  'Vite 8, dev': () => viteDev(vites[8], newApplication()),
  'Vite 8, build': async () => serve(await viteBuild(vites[8], newApplication())),
  'Vite 7, dev, with the setting that the README names': () => viteDev(vites[7], newApplication(), viteSetting),
  'Vite 7, build': async () => serve(await viteBuild(vites[7], newApplication())),
  'Vite 6, dev, with the setting that the README names': () => viteDev(vites[6], newApplication(), viteSetting),
  'Vite 6, build': async () => serve(await viteBuild(vites[6], newApplication())),
  'webpack 5': async () => serve(await webpackBuild(newApplication())),
  'esbuild, with a worker of its own': async () =>
    serve(await esbuildBuild(newApplicationWithWorker(), ownWorker.command)),
  'scripts from another origin, with a worker of its own': async () => {
    const dist = await esbuildBuild(newApplicationWithWorker(), ownWorker.command)
    const otherOrigin = await serve(dist, { headers: { 'Access-Control-Allow-Origin': '*' } })
    const page = join(dist, 'index.html')
    writeFileSync(page, readFileSync(page, 'utf8').replace('src="/', `crossorigin src="${otherOrigin}`))
    return serve(dist)
  },
}

const browser = useBrowser()

test.each(Object.entries(ways))('%s', async (_, way) => {
  await expectForks(browser, await way())
})
