import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, preview } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, collectErrors, configFile, launch, transcript } from './demo'

/** All comes from the page's own files, and nothing is written into it. */
const POLICY = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'"

let outDir: string
beforeAll(async () => {
  outDir = await mkdtemp(join(tmpdir(), 'idb-sessions-demo-'))
  await build({ configFile, logLevel: 'error', build: { outDir } })
})
afterAll(() => rm(outDir, { recursive: true }))

test('the built page has a worker of its own, and runs under a strict Content-Security-Policy', async () => {
  expect((await readdir(join(outDir, 'assets'))).filter((name) => name.endsWith('.js'))).toHaveLength(2)

  const headers = { 'Content-Security-Policy': POLICY }
  const server = await preview({ configFile, build: { outDir }, preview: { port: 0, host: '127.0.0.1', headers } })
  const browser = await launch()
  try {
    const page = await browser.newPage()
    const errors = collectErrors(page)
    await page.goto(server.resolvedUrls!.local[0]!)
    await ask(page, 'What is 2 + 2?')
    expect((await transcript(page)).at(-1)).toContain('The answer is 4.')
    expect(errors).toEqual([])
  } finally {
    await browser.close()
    await server.close()
  }
})
