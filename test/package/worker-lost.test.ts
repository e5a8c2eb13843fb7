// A page that has lost the worker is told so within seconds, and what to do about it.
import { expect, test } from 'vitest'
import { esbuildBuild, viteDev, vites } from './bundlers'
import { newApplication } from './packed'
import { viteSetting } from './readme'
import { serve } from './serve'
import { outcome, useBrowser } from './visit'

const browser = useBrowser()

async function expectCure(url: string): Promise<void> {
  const { page } = await browser.newPage()
  await page.goto(url)
  const { code, message, took } = await outcome(page)
  expect({ code, message }).toEqual({ code: 'WORKER_FAILED', message: expect.any(String) })
  expect(message).toContain(viteSetting.replace(/optimizeDeps: \{ (.*) \}/, 'optimizeDeps.$1'))
  expect(message).toContain('worker-src')
  expect(message).toContain('openSessions({ worker })')
  expect(took).toBeLessThan(20_000)
}

const page = { main: 'main.js' }
const pageWithOwnWorker = { main: 'own-worker.js' }

test('Vite 7 in development, without the setting that the README names', async () => {
  await expectCure(await viteDev(vites[7], newApplication()))
})

test('esbuild, without the worker as an entry', async () => {
  await expectCure(await serve(await esbuildBuild(newApplication(), page)))
})

test("a page's own worker that is not there", async () => {
  await expectCure(await serve(await esbuildBuild(newApplication(), pageWithOwnWorker)))
})

test("a page's own worker that does not import idb-sessions/worker", async () => {
  await expectCure(
    await serve(await esbuildBuild(newApplication(), { ...pageWithOwnWorker, worker: 'idb-sessions/log' })),
  )
})

test('a policy that allows no worker', async () => {
  const folder = await esbuildBuild(newApplication(), { ...page, 'worker/index': 'idb-sessions/worker' })
  await expectCure(await serve(folder, { 'Content-Security-Policy': "default-src 'self'; worker-src 'none'" }))
})

test('a policy that allows trusted script addresses only', async () => {
  const folder = await esbuildBuild(newApplication(), { ...page, 'worker/index': 'idb-sessions/worker' })
  await expectCure(await serve(folder, { 'Content-Security-Policy': "require-trusted-types-for 'script'" }))
})
