// The types of the packed package, as an application's compiler sees them.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { complaints } from './complaints'
import { newApplication, repository } from './packed'
import { blocks, expressions, quickStartContinued } from './readme'

/** What the README's fragments take for granted. */
const TAKEN_FOR_GRANTED = `
import type { Session, SessionStore } from 'idb-sessions'
import { openSessions as open } from 'idb-sessions'
import { runTurn as run, userMessage as prompt } from 'idb-sessions/turn'
import type { useSyncExternalStore as use } from 'react'
declare global {
  const openSessions: typeof open
  const runTurn: typeof run
  const userMessage: typeof prompt
  const useSyncExternalStore: typeof use
  const ctx: { sessions: SessionStore }
  const session: Session
  const id: string
  const seq: number
  const url: URL
}
`

test.each([
  ['bundler', true],
  ['bundler', false],
  ['nodenext', true],
  ['nodenext', false],
])('an application compiles: moduleResolution %s, exactOptionalPropertyTypes %s', async (moduleResolution, exact) => {
  const folder = newApplication()
  cpSync(fileURLToPath(new URL('types', import.meta.url)), join(folder, 'types'), { recursive: true })
  mkdirSync(join(folder, 'readme'))
  writeFileSync(join(folder, 'readme', 'given.d.ts'), TAKEN_FOR_GRANTED)
  const examples = [...blocks, ...[...expressions, quickStartContinued].map((code) => ({ language: 'ts', code }))]
  for (const [index, { language, code }] of examples.entries()) {
    writeFileSync(join(folder, 'readme', `${index}.${language}`), `${code}\nexport {}\n`)
  }
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: moduleResolution === 'bundler' ? 'esnext' : 'nodenext',
    moduleResolution,
    exactOptionalPropertyTypes: exact,
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    allowJs: true,
    checkJs: true,
    jsx: 'react-jsx',
    types: [],
    paths: { react: [join(repository, 'node_modules/@types/react/index.d.ts')] },
    noEmit: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  expect(await complaints('typescript/bin/tsc', ['-p', folder])).toBe('')
})
