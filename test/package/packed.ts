// Packs the package as it would be published, and installs it once, in a folder outside the repository.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
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

declare module 'vitest' {
  interface ProvidedContext {
    packed: Packed
  }
}

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'idb-sessions-package-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    npm(repository, 'pack', '--pack-destination', folder)
    const tarball = join(
      folder,
      readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
    )
    const installed = join(folder, 'installed')
    mkdirSync(installed)
    writeFileSync(join(installed, 'package.json'), '{ "name": "application", "private": true, "type": "module" }')
    npm(installed, 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', tarball)
    project.provide('packed', { tarball, installed })
  } catch (error) {
    remove()
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
