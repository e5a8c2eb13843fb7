// Builds the demo once per run and serves it, as people meet it: from a path, under its policy.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, preview, type PreviewServer } from 'vite'
import type { TestProject } from 'vitest/node'

const configFile = fileURLToPath(new URL('../../demo/site/vite.config.ts', import.meta.url))

declare module 'vitest' {
  interface ProvidedContext {
    /** The demo's address. */
    demo: string
    /** The folder it was built into. */
    demoFolder: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const outDir = await mkdtemp(join(tmpdir(), 'idb-sessions-demo-'))
  const { NODE_ENV } = process.env
  // A test run's would make it a build for development.
  process.env['NODE_ENV'] = 'production'
  await build({ configFile, logLevel: 'error', build: { outDir } })
  process.env['NODE_ENV'] = NODE_ENV
  const server = await serve(outDir, '/any/path/')
  project.provide('demo', addressOf(server))
  project.provide('demoFolder', outDir)
  return async () => {
    await server.close()
    await rm(outDir, { recursive: true })
  }
}

/** @param base path of the site on its server */
export function serve(outDir: string, base: string): Promise<PreviewServer> {
  return preview({ configFile, base, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } })
}

export function addressOf(server: PreviewServer): string {
  return server.resolvedUrls!.local[0]!
}
