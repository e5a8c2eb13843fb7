/** The browser engines that the behavioural tests run in, each a project of its own. */
import type { TestProjectInlineConfiguration } from 'vitest/config'
import type { BrowserProviderOption } from 'vitest/node'
import type { BackEnd } from './back-end.js'
import { browsers, findBrowser } from './browsers.mjs'
import { backEnds, chromium } from './chromium.js'
import { firefox } from './firefox.js'
import { webkitgtk } from './webkitgtk.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** What a browser that is not installed is called. */
    missing: string
    /** What Chromium is to store with; empty in other browsers. */
    backEnd: BackEnd | ''
  }
}

interface Engine {
  name: string
  browser: keyof typeof browsers
  backEnd?: BackEnd
  provider: (program: string) => BrowserProviderOption
}

const engines: Engine[] = [
  { name: 'chromium', browser: 'chromium', backEnd: 'LevelDB', provider: (path) => chromium(path, 'LevelDB') },
  { name: 'chromium-sqlite', browser: 'chromium', backEnd: 'SQLite', provider: (path) => chromium(path, 'SQLite') },
  { name: 'firefox', browser: 'firefox', provider: firefox },
  { name: 'webkit', browser: 'webkit', provider: webkitgtk },
]

async function project({ name, browser, backEnd, provider }: Engine, order: number) {
  const path = await findBrowser(browsers[browser])
  return path === undefined
    ? missing(name, browsers[browser].title)
    : ({
        extends: true,
        optimizeDeps: { include: ['fast-check', 'react', 'react-dom/client', '@assistant-ui/react'] },
        test: {
          // What a run shows and `--project` takes is the name of the instance, which may not be the project's too.
          name: `in ${name}`,
          // What an example's page does is the same in every engine.
          include: [
            'test/{store,model,browser}/**/*.test.ts',
            ...(name === 'chromium' ? ['test/examples/**/*.test.tsx'] : []),
          ],
          globalSetup: 'test/setup/bundled-worker.ts',
          provide: { backEnd: backEnd ?? '' },
          // One engine after another, and in each one file after another: at once they would slow each other down, and
          // one profile cannot have two owners.
          sequence: { groupOrder: order },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            fileParallelism: false,
            commands: { backEnds },
            provider: provider(path),
            instances: [{ name, browser }],
          },
        },
      } satisfies TestProjectInlineConfiguration)
}

/** One skipped test in place of all: a run says what it did not try. */
function missing(name: string, title: string): TestProjectInlineConfiguration {
  return { extends: true, test: { name, include: ['test/setup/missing.test.ts'], provide: { missing: title } } }
}

export const engineProjects: TestProjectInlineConfiguration[] = await Promise.all(engines.map(project))
