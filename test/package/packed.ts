// Builds and packs the package as it would be published, and installs it in a folder outside the repository: once per run.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

interface Packed {
  tarball: string
  /** An application's folder that has the package and its dependencies in `node_modules`, and nothing else. */
  installed: string
}

interface Manifest {
  dependencies: Record<string, string>
}

declare module 'vitest' {
  interface ProvidedContext {
    packed: Packed
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'idb-sessions-package-'))
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    npm(repository, 'pack', '--pack-destination', folder)
    const tarball = join(
      folder,
      readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
    )
    const installed = join(folder, 'installed')
    mkdirSync(installed)
    writeFileSync(join(installed, 'package.json'), '{ "name": "application", "private": true, "type": "module" }')
    // What it depends on is taken from here, where `npm ci` has put it, instead of being asked for again.
    const { dependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as Manifest
    const theirs = Object.keys(dependencies).map((name) => join(repository, 'node_modules', name))
    const quietly = ['--offline', '--install-links', '--ignore-scripts', '--no-audit', '--no-fund']
    npm(installed, 'install', ...quietly, tarball, ...theirs)
    project.provide('packed', { tarball, installed })
  } catch (error) {
    await remove()
    throw error
  }
  return remove
}

/** A fresh folder of an application that has installed the package, with the files of `app` in it. */
export function newApplication(): string {
  const { installed } = inject('packed')
  const folder = mkdtempSync(join(installed, '..', 'application-'))
  cpSync(installed, folder, { recursive: true })
  cpSync(fileURLToPath(new URL('app', import.meta.url)), folder, { recursive: true })
  return folder
}

function npm(cwd: string, ...args: string[]): void {
  // npm is a script on Windows, which only a shell starts.
  const { status, stdout, stderr } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stdout}${stderr}`)
}
