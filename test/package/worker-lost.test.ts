// A page that has lost the worker is told so within seconds, and what to do about it.
import { describe, expect, test } from 'vitest'
import { esbuildBuild, viteBuild, viteDev, vites, webpackBuild } from './bundlers'
import { newApplicationWithWorker } from './own-worker'
import { newApplication } from './packed'
import { allowed, ownWorker, viteSetting } from './readme'
import { serve } from './serve'
import { outcome, useBrowser } from './visit'

const browser = useBrowser()

/** @param limit ms from `openSessions` to its error */
async function expectCure(url: string, limit: number): Promise<void> {
  const { page } = await browser.newPage()
  await page.goto(url)
  const { code, message, took } = await outcome(page)
  expect({ code, message }).toEqual({ code: 'WORKER_FAILED', message: expect.any(String) })
  expect(message).toContain(viteSetting.replace(/optimizeDeps: \{ (.*) \}/, 'optimizeDeps.$1'))
  expect(message).toContain('worker-src')
  expect(message).toContain('openSessions({ worker })')
  expect(took).toBeLessThan(limit)
}

const command = { own: ownWorker.command, pageOnly: ownWorker.command.replace(' worker.ts', '') }
const csp = (policy: string): { headers: Record<string, string> } => ({
  headers: { 'Content-Security-Policy': policy },
})

/** Each gives the address of a page whose worker the browser says cannot be had. */
const lost: Record<string, () => Promise<string>> = {
  'Vite 7 in development, without the setting that the README names': () => viteDev(vites[7], newApplication()),
  'Vite 6 in development, without the setting that the README names': () => viteDev(vites[6], newApplication()),
  'esbuild, without a worker of its own': async () =>
    serve(await esbuildBuild(newApplication(), command.pageOnly.replace('main.ts', 'main.js'))),
  "a page's own worker that is not there": async () =>
    serve(await esbuildBuild(newApplicationWithWorker(), command.pageOnly)),
  "a page's own worker in whose place the server gives the page": async () =>
    serve(await esbuildBuild(newApplicationWithWorker(), command.pageOnly), { missing: 'page' }),
  "a page's own worker that throws": async () =>
    serve(await esbuildBuild(newApplicationWithWorker("throw new Error('no such thing')"), command.own)),
  'scripts from another origin, without a worker of its own': async () => {
    const folder = newApplication()
    const headers = { 'Access-Control-Allow-Origin': '*' }
    const otherOrigin = await serve(`${folder}/dist`, { headers })
    return serve(await viteBuild(vites[8], folder, `base: '${otherOrigin}'`))
  },
  'a Content-Security-Policy that allows no worker': async () =>
    serve(await viteBuild(vites[8], newApplication()), csp("default-src 'self'; worker-src 'none'")),
  'a Content-Security-Policy that allows scripts by a nonce and names no worker': async () =>
    serve(
      await viteBuild(vites[8], newApplication(), "html: { cspNonce: 'n' }"),
      csp(allowed.replace("'self'", "'nonce-n'").replace(/; worker-src.*/, '')),
    ),
  'Trusted Types, Vite 8 without a policy': async () =>
    serve(await viteBuild(vites[8], newApplication()), csp("require-trusted-types-for 'script'")),
  'Trusted Types, webpack 5 without the setting that the README names': async () =>
    serve(await webpackBuild(newApplication()), csp("require-trusted-types-for 'script'")),
}

test.each(Object.entries(lost))('%s: within 5 s', async (_, way) => {
  await expectCure(await way(), 5000)
})

describe('a worker that says nothing, and of which the browser says nothing: within 20 s', () => {
  test("a page's own that does not import idb-sessions/worker", async () => {
    const folder = newApplicationWithWorker("console.log('busy with other things')")
    await expectCure(await serve(await esbuildBuild(folder, command.own)), 20_000)
  })

  test('one that the server does not give', async () => {
    const dist = await esbuildBuild(newApplicationWithWorker(), command.pageOnly)
    await expectCure(await serve(dist, { missing: 'no answer' }), 20_000)
  })
})
