import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { repository } from './packed'

/** What a program of node_modules says when it fails; nothing when it does not. */
export async function complaints(program: string, args: string[]): Promise<string> {
  return promisify(execFile)(process.execPath, [join(repository, 'node_modules', program), ...args]).then(
    () => '',
    (error: Error & { stdout?: string; stderr?: string }) => `${error.message}\n${error.stdout}${error.stderr}`,
  )
}
