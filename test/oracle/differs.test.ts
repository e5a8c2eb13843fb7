/** Every difference from DSH is one that the rules state: its sentence stands there, word for word. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sentences } from './cases/differs.mjs'
import vectors from './vectors.json'

/** The rules lie beside a checkout of this project, where there are any; the README is the project's own. */
const documents = {
  'api.md': new URL('../../../shared/api.md', import.meta.url),
  'spec.md': new URL('../../../shared/spec.md', import.meta.url),
  'README.md': new URL('../../README.md', import.meta.url),
}
const missing = Object.entries(documents).flatMap(([name, url]) => (existsSync(url) ? [] : [name]))

const differences = vectors
  .flatMap(({ subject, name, steps }) => steps.map((step) => ({ ...step, of: `${subject}: ${name}` })))
  .flatMap(({ of, dsh, ...step }) => ('differs' in step ? [{ of, dsh, ...step.differs }] : []))

describe.each(Object.entries(sentences))('%s', (_key, { of, says }) => {
  const isMissing = missing.includes(of)
  test.skipIf(isMissing)(
    `${of} says: ${says}${isMissing ? ` (skipped, there is no ../shared/${of} here)` : ''}`,
    () => {
      expect(onOneLine(readFileSync(documents[of], 'utf8'))).toContain(onOneLine(says))
    },
  )
})

test('every difference is one, and names a sentence', () => {
  const wrong = differences.filter(
    ({ because, dsh, gives }) => !(because in sentences) || JSON.stringify(dsh) === JSON.stringify(gives),
  )
  expect(wrong.map(({ of }) => of)).toEqual([])
})

test('every sentence is needed', () => {
  const used = new Set(differences.map(({ because }) => because))
  expect(Object.keys(sentences).filter((key) => !used.has(key))).toEqual([])
})

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}
