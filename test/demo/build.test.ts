import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright'
import { createServer, type PreviewServer } from 'vite'
import { beforeAll, afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { fileURLToPath } from 'node:url'
import { ask, collectErrors, launch, transcript } from './demo'
import { addressOf, serve } from './site'

let context: BrowserContext
beforeAll(async () => {
  context = await (await launch()).newContext()
})
afterAll(() => context?.browser()?.close())

test('the built page has a worker of its own, and a policy that lets only its own scripts run', async () => {
  const folder = inject('demoFolder')
  expect((await readdir(join(folder, 'assets'))).filter((name) => name.endsWith('.js'))).toHaveLength(2)
  const { page, errors } = await open(inject('demo'))
  const policy = page.locator('meta[http-equiv="Content-Security-Policy"]')
  expect(await policy.getAttribute('content')).toMatch(/^default-src 'none'; script-src 'self'; worker-src 'self'; /)
  await ask(page, 'What is 2 + 2?')
  expect((await transcript(page)).at(-1)).toContain('The answer is 4.')
  expect(errors).toEqual([])
})

test('after the first visit the page works without a network', async () => {
  const server = await serve(inject('demoFolder'), '/')
  const { page } = await open(addressOf(server))
  await ask(page, 'First')
  const before = await transcript(page)
  await page.evaluate(() => navigator.serviceWorker.ready.then(({ active }) => active !== null))
  closeConnections(server)
  await server.close()

  await page.reload()
  expect(await transcript(page)).toEqual(before)
  await ask(page, 'Second')
  expect((await transcript(page)).length).toBe(before.length + 2)
})

test('the page runs from its sources, too', async () => {
  const server = await createServer({
    configFile: fileURLToPath(new URL('../../vite.config.ts', import.meta.url)),
    logLevel: 'error',
    server: { port: 0, host: '127.0.0.1', hmr: false, watch: null },
  })
  onTestFinished(() => server.close())
  await server.listen()
  const { page, errors } = await open(server.resolvedUrls!.local[0]!)
  await ask(page, 'What is 2 + 2?')
  expect((await transcript(page)).at(-1)).toContain('The answer is 4.')
  expect(errors).toEqual([])
})

async function open(address: string): Promise<{ page: Page; errors: string[] }> {
  const page = await context.newPage()
  onTestFinished(() => page.close())
  const errors = collectErrors(page)
  await page.goto(address)
  return { page, errors }
}

/** The browser keeps them open, and the server waits for them. */
function closeConnections({ httpServer }: PreviewServer): void {
  if ('closeAllConnections' in httpServer) httpServer.closeAllConnections()
}
