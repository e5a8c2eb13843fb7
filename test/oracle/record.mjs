/** `node test/oracle/record.mjs`: asks the published DSH packages all cases, and writes what they answer to vectors.json. */
import { isDeepStrictEqual } from 'node:util'
import { writeFileSync } from 'node:fs'
import { Oracle } from './connect.mjs'
import { sentences } from './cases/differs.mjs'
import { T0 } from './values.mjs'

const subjects = ['json', 'append', 'surface', 'seeds', 'headers', 'forks', 'closers', 'chunks', 'files']

const oracle = new Oracle()
const vectors = []
for (const subject of subjects) {
  const { default: cases } = await import(`./cases/${subject}.mjs`)
  for (const { name, refusal = 'INVALID_EVENT', steps } of cases) {
    await oracle.ask([{ do: 'reset' }, { do: 'clock', now: T0 }])
    const results = await oracle.ask(steps.map(({ op }) => op))
    vectors.push({ subject, name, refusal, steps: steps.map((step, i) => ({ ...step, dsh: results[i] })) })
  }
}
oracle.close()

const steps = vectors.flatMap(({ subject, name, steps }) =>
  steps.map((step) => ({ ...step, of: `${subject}: ${name}` })),
)
for (const { differs, dsh, of } of steps) {
  if (differs === undefined) continue
  if (!(differs.because in sentences)) throw new Error(`no sentence ${differs.because}: ${of}`)
  if (isDeepStrictEqual(differs.gives, dsh)) throw new Error(`no difference: ${of}`)
}
const names = vectors.map(({ subject, name }) => `${subject}: ${name}`)
const twice = names.find((name, i) => names.indexOf(name) !== i)
if (twice !== undefined) throw new Error(`two cases are named ${twice}`)

// One case to a line, so that a change of one is a change of one line.
const lines = vectors.map((vector) => JSON.stringify(vector))
writeFileSync(new URL('vectors.json', import.meta.url), `[\n${lines.join(',\n')}\n]\n`)
console.log(
  `${vectors.length} cases, ${steps.length} operations, ${steps.filter(({ differs }) => differs).length} differences`,
)
