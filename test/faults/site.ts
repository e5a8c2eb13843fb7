// Builds a page once per run and serves it at one address: what a page stored belongs to its origin.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, preview, type UserConfig } from 'vite'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'

const configFile = fileURLToPath(new URL('../../vite.config.ts', import.meta.url))
declare module 'vitest' {
  interface ProvidedContext {
    /** Port of the page's server, on 127.0.0.1. */
    port: number
    /** A file that collects the run's figures. */
    figures: string
  }
}

export default function setup(project: TestProject): Promise<() => Promise<void>> {
  const date = new Date().toISOString().slice(0, 10)
  const run = isLong ? 'One run of `npm run test:faults`' : 'A short run of `test/faults`'
  // Whoever pastes it into the README finds each line where it was.
  const arrange = (lines: string[]): string[] => ['', ...lines.map((line) => `- ${line.trim()}`).sort(), '']
  const heading = `${run} (${date}, \`FC_SEED=${project.config.env['FC_SEED']}\`)`
  return serveSite(project, new URL('page/index.html', import.meta.url), heading, {}, arrange)
}

/**
 * @param heading stands over the figures at the end of the run
 * @param config what the page needs besides the demo's
 * @param arrange brings the figures, a line each, into an order
 */
export async function serveSite(
  project: TestProject,
  page: URL,
  heading: string,
  config: UserConfig = {},
  arrange = (lines: string[]): string[] => lines,
): Promise<() => Promise<void>> {
  const input = fileURLToPath(page)
  const folder = mkdtempSync(join(realpathSync(tmpdir()), `idb-sessions-${project.name}-`))
  const outDir = join(folder, 'site')
  const figures = join(folder, 'figures')
  const options = { outDir, minify: false, rolldownOptions: { input } }
  await build({ ...config, configFile, logLevel: 'error', publicDir: false, build: options })
  const server = await preview({
    configFile,
    build: { outDir },
    preview: { port: 0, host: '127.0.0.1', allowedHosts: true },
  })
  project.provide('port', Number(new URL(server.resolvedUrls!.local[0]!).port))
  project.provide('figures', figures)
  const arranged = (path: string): string => arrange(readFileSync(path, 'utf8').trimEnd().split('\n')).join('\n')
  return async () => {
    await server.close()
    if (existsSync(figures)) console.log(`\n${heading}:\n${arranged(figures)}\n`)
    await rm(folder, { recursive: true })
  }
}

/** Address of the page; `host` stands for 127.0.0.1 where the browser was told so. */
export function address(host = '127.0.0.1'): string {
  return `${origin(host)}/test/faults/page/index.html`
}

export function origin(host = '127.0.0.1'): string {
  return `http://${host}:${inject('port')}`
}

/** A line for the end of the run. */
export function figure(line: string): void {
  appendFileSync(inject('figures'), `  ${line}\n`)
}

/** The long form has the counts that the README tells of. */
export const isLong = process.env['FAULTS'] === 'long'

/** How often a fault happens. */
export function times(short: number, long: number): number {
  return isLong ? long : short
}
