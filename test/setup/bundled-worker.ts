/**
 * The worker as one file, as applications ship it. Nearly every test opens a page, and Vite would serve each one's
 * worker module by module, which takes several times as long. (`openSessions` in a test starts that one.)
 */
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** JavaScript. */
    worker: string
  }
}

export default async function provideWorker(project: TestProject): Promise<void> {
  const bundle = async (): Promise<void> => {
    const entry = fileURLToPath(new URL('../../worker/index.ts', import.meta.url))
    const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false })
    project.provide('worker', outputFiles[0]!.text)
  }
  project.onTestsRerun(bundle)
  await bundle()
}
