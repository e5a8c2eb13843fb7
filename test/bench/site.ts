// Builds the page that measures as an application would be built, and serves it.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { serveSite } from '../faults/site.js'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const packages = here('../oracle/node_modules/@deepseek-ai')

/** Whether DSH's own store can be measured too. */
export const hasDsh = existsSync(`${packages}/dsh-session`)

export default function setup(project: TestProject): Promise<() => Promise<void>> {
  const alias = [
    { find: 'dsh', replacement: here(hasDsh ? 'peers/dsh-installed.mjs' : 'peers/dsh-missing.mjs') },
    { find: /^@deepseek-ai\/(dsh-session|cordis)$/, replacement: `${packages}/$1` },
    { find: /^node:(path|module)$/, replacement: here('peers/dsh-node.mjs') },
  ]
  return serveSite(project, new URL('page/index.html', import.meta.url), 'Bench', { resolve: { alias } })
}
