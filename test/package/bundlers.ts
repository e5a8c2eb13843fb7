// How each bundler makes something of the application in a folder: a build in its `dist`, which is given, or a server's address.
import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import * as vite8 from 'vite'
import { onTestFinished, vi } from 'vitest'
import webpack, { type Configuration } from 'webpack'
import { repository } from './packed'
import * as vite6 from './vite6'
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

export const vites: { 6: Vite; 7: Vite; 8: Vite } = { 6: vite6, 7: vite7, 8: vite8 }

/** @param setting what stands in the configuration, as code */
export async function viteDev(vite: Vite, root: string, setting?: string): Promise<string> {
  asOutsideOfTests()
  const configFile = setting !== undefined && configuration(root, 'vite.config.mjs', setting)
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

export async function viteBuild(vite: Vite, root: string, setting?: string): Promise<string> {
  asOutsideOfTests()
  const configFile = setting !== undefined && configuration(root, 'vite.config.mjs', setting)
  await vite.build({ root, configFile, logLevel: 'error' })
  return join(root, 'dist')
}

export async function webpackBuild(folder: string, setting = ''): Promise<string> {
  const file = configuration(folder, 'webpack.config.mjs', setting)
  const { default: settings } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    default: Configuration
  }
  const compiler = webpack({
    ...settings,
    context: folder,
    mode: 'production',
    entry: './main.js',
    output: { ...settings.output, path: join(folder, 'dist') },
  })
  const stats = await promisify(compiler.run.bind(compiler))()
  await promisify(compiler.close.bind(compiler))()
  const { errors = [], warnings = [] } = stats!.toJson({ all: false, errors: true, warnings: true })
  const problems = [...errors, ...warnings].map(({ message }) => message)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  // What webpack writes is no module.
  const html = readFileSync(join(folder, 'index.html'), 'utf8').replace('type="module"', 'defer')
  writeFileSync(join(folder, 'dist', 'index.html'), html)
  return join(folder, 'dist')
}

/** @param command `esbuild …`, which writes into `dist` */
export async function esbuildBuild(folder: string, command: string): Promise<string> {
  const [program = '', ...args] = command.split(' ')
  // On Windows it is a script, which only a shell starts.
  const options = { cwd: folder, shell: process.platform === 'win32' }
  const path = join(repository, 'node_modules', '.bin', program)
  const { stderr } = await promisify(execFile)(path, [...args, '--log-level=warning'], options)
  if (stderr !== '') throw new Error(stderr)
  cpSync(join(folder, 'index.html'), join(folder, 'dist', 'index.html'))
  return join(folder, 'dist')
}

function configuration(folder: string, name: string, setting: string): string {
  const file = join(folder, name)
  writeFileSync(file, `export default { ${setting} }\n`)
  return file
}

/** Vitest says that this is a test, and Vite would not build for production. */
function asOutsideOfTests(): void {
  vi.stubEnv('NODE_ENV', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
}
