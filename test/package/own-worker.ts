import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newApplication } from './packed'
import { ownWorker } from './readme'

/** A fresh folder of an application with a worker of its own, as the README shows it. */
export function newApplicationWithWorker(module = ownWorker.module): string {
  const folder = newApplication()
  writeFileSync(join(folder, 'main.ts'), `import { run } from './app.js'\n${ownWorker.page}\nvoid run({ worker })\n`)
  writeFileSync(join(folder, 'worker.ts'), module)
  return folder
}
