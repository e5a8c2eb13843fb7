// How each bundler builds the application of a folder, into `dist` if it is built, and serves it. Gives the page's address.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as esbuild from 'esbuild'
import * as vite8 from 'vite'
import { onTestFinished, vi } from 'vitest'
import webpack from 'webpack'
import { serve } from './serve'
import * as vite7 from './vite7'

/** The little of Vite that is used here; its versions do not share types. */
interface Vite {
  createServer(options: object): Promise<{
    listen(): Promise<unknown>
    close(): Promise<void>
    resolvedUrls: { local: string[] } | null
  }>
  build(options: object): Promise<unknown>
}

export const vites: { 7: Vite; 8: Vite } = { 7: vite7, 8: vite8 }

export async function viteDev(vite: Vite, root: string, configFile: string | false = false): Promise<string> {
  asOutsideOfTests()
  const server = await vite.createServer({
    root,
    configFile,
    logLevel: 'error',
    server: { host: '127.0.0.1', port: 0 },
  })
  onTestFinished(() => server.close())
  await server.listen()
  return server.resolvedUrls!.local[0]!
}

export async function viteBuild(vite: Vite, root: string): Promise<string> {
  asOutsideOfTests()
  await vite.build({ root, configFile: false, logLevel: 'error' })
  return serve(join(root, 'dist'))
}

export async function webpackBuild(folder: string): Promise<string> {
  const compiler = webpack({
    context: folder,
    mode: 'production',
    entry: './main.js',
    output: { path: join(folder, 'dist'), filename: 'main.js' },
  })
  const stats = await promisify(compiler.run.bind(compiler))()
  await promisify(compiler.close.bind(compiler))()
  const { errors = [], warnings = [] } = stats!.toJson({ all: false, errors: true, warnings: true })
  const problems = [...errors, ...warnings].map(({ message }) => message)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  // What webpack writes is no module.
  const html = readFileSync(join(folder, 'index.html'), 'utf8').replace('type="module"', 'defer')
  writeFileSync(join(folder, 'dist', 'index.html'), html)
  return serve(join(folder, 'dist'))
}

/** Built only, to be served as a test likes. `entryPoints`: path in `dist`, without its ending → module. Gives `dist`. */
export async function esbuildBuild(folder: string, entryPoints: Record<string, string>): Promise<string> {
  const { warnings } = await esbuild.build({
    absWorkingDir: folder,
    entryPoints,
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    minify: true,
    logLevel: 'silent',
  })
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('\n'))
  cpSync(join(folder, 'index.html'), join(folder, 'dist', 'index.html'))
  return join(folder, 'dist')
}

/** Vitest says that this is a test, and Vite would not build for production. */
function asOutsideOfTests(): void {
  vi.stubEnv('NODE_ENV', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
}
