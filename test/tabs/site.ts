// Builds the page once per run and serves it at one address: tabs of one origin share what is stored.
import { existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, preview } from 'vite'
import type { TestProject } from 'vitest/node'
import { origin } from '../faults/site.js'

export { figure, origin } from '../faults/site.js'

const configFile = fileURLToPath(new URL('../../vite.config.ts', import.meta.url))
const input = fileURLToPath(new URL('page/index.html', import.meta.url))

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'idb-sessions-tabs-'))
  const outDir = join(folder, 'site')
  const figures = join(folder, 'figures')
  const options = { outDir, minify: false, rolldownOptions: { input } }
  await build({ configFile, logLevel: 'error', publicDir: false, build: options })
  const server = await preview({ configFile, build: { outDir }, preview: { port: 0, host: '127.0.0.1' } })
  project.provide('port', Number(new URL(server.resolvedUrls!.local[0]!).port))
  project.provide('figures', figures)
  return async () => {
    await server.close()
    if (existsSync(figures)) console.log(`\nSeveral tabs:\n${readFileSync(figures, 'utf8')}`)
    await rm(folder, { recursive: true })
  }
}

/** Address of the page, which works on this database. */
export function address(database = 'tabs'): string {
  return `${origin()}/test/tabs/page/index.html?${database}`
}

/** The long form has the counts that were promised; the short one is part of `npm test`. */
export const isLong = process.env['TABS'] === 'long'

export function times(short: number, long: number): number {
  return isLong ? long : short
}
