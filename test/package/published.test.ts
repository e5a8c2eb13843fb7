// The packed package itself: what a registry and a compiler see of it, and what Node does with it.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { expect, inject, test } from 'vitest'
import { complaints } from './complaints'

const { tarball, installed } = inject('packed')
const folder = join(installed, 'node_modules', 'idb-sessions')
const run = promisify(execFile)

test('publint has nothing to say', async () => {
  const bytes = readFileSync(tarball)
  const content = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const { messages, pkg } = await publint({ pack: { tarball: content } })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

test('the types are right for every way of resolving an ESM package', async () => {
  const args = [tarball, '--profile', 'esm-only', '--no-definitely-typed']
  expect(await complaints('@arethetypeswrong/cli/dist/index.js', args)).toBe('')
})

test('it holds what runs and the sources that its maps point to, no more', () => {
  expect(readdirSync(folder).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'lib', 'package.json', 'worker'])
  const files = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
  const maps = files.filter((name) => name.endsWith('.map')).map((name) => join(folder, 'dist', name))
  const sources = maps.flatMap((map) => {
    const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }
    return sources.map((source) => join(map, '..', source))
  })
  expect(sources.length).toBeGreaterThan(0)
  expect(sources.filter((source) => !existsSync(source))).toEqual([])
})

test('importing any entry point in Node does nothing', async () => {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports: object }
  const entries = Object.keys(exports).filter((path) => path !== './package.json')
  expect(entries).toEqual(expect.arrayContaining(['.', './log', './worker']))
  const script = `
    const before = Reflect.ownKeys(globalThis)
    for (const entry of ${JSON.stringify(entries)}) await import(entry.replace('.', 'idb-sessions'))
    const added = Reflect.ownKeys(globalThis).filter((key) => !before.includes(key))
    if (added.length > 0) throw new Error('added ' + added.map(String).join())`
  // It ends by itself as well: nothing is left running.
  const options = { cwd: installed, timeout: 10_000 }
  expect(await run(process.execPath, ['--input-type=module', '--eval', script], options)).toEqual({
    stdout: '',
    stderr: '',
  })
})
