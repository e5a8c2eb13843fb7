/** The browsers that are measured, each with a fresh profile, and who takes part there. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright'
import { gecko, levelDB, sqlite, type Engine } from '../faults/browser.js'
import { origin } from '../faults/site.js'
import { browsers, findBrowser } from '../setup/browsers.mjs'
import { WebDriver } from '../setup/webdriver.js'
import type { Extent, Name } from './field.js'
import type { Measure } from './measure.js'
import type { Call } from './plan.js'

/** Those that do not depend on how IndexedDB is made are measured once. */
const ON_INDEXED_DB: Name[] = ['library', 'raw', 'rawInWorker', 'dexie', 'wholeSession']
const ALL: Name[] = [...ON_INDEXED_DB, 'sqlite', 'dsh']

export interface Lane {
  title: string
  isMissing: boolean
  /** Where its processes and files can be looked at. */
  engine?: Engine
  names: readonly Name[]
  /** A browser of its own for `body`. */
  run: (body: (measure: (call: Call, extent: Extent) => Promise<Measure[]>) => Promise<void>) => Promise<void>
}

export const lanes: Lane[] = [lane(levelDB, ALL), lane(sqlite, ON_INDEXED_DB), lane(gecko, ON_INDEXED_DB)]

const driver = await findBrowser(browsers.webkit)
/** Driven, it keeps databases in memory: only what the code costs is measured. */
lanes.push({
  title: 'WebKitGTK, in memory',
  isMissing: driver === undefined,
  names: ['library', 'raw', 'rawInWorker'],
  run: (body) => withWebDriver(driver!, body),
})

function lane(engine: Engine, names: readonly Name[]): Lane {
  const { title, isMissing = false } = engine
  return { title, isMissing, engine, names, run: (body) => withPlaywright(engine, body) }
}

const page = (): string => `${origin()}/test/bench/page/index.html`

type Body = Parameters<Lane['run']>[0]

async function withPlaywright(engine: Engine, body: Body): Promise<void> {
  await withProfile(engine, async (context) => {
    await body(async ([work, ...rest], extent) => {
      // A page of its own for each work, so that none pays for the garbage of another.
      const tab = await newTab(context)
      try {
        return await tab.evaluate(
          ([work, all]) => (window.works[work] as (...all: unknown[]) => Promise<Measure[]>)(...all),
          [work, [extent, ...rest]] as const,
        )
      } finally {
        await tab.close()
      }
    })
  })
}

export async function newTab(context: BrowserContext): Promise<Page> {
  const tab = await context.newPage()
  await tab.goto(page())
  await tab.waitForFunction(() => 'works' in window)
  return tab
}

async function withProfile(engine: Engine, body: (context: BrowserContext) => Promise<void>): Promise<void> {
  const profile = mkdtempSync(join(realpathSync(tmpdir()), 'idb-sessions-bench-'))
  const context = await engine.launch(profile)
  try {
    await body(context)
  } finally {
    await context.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function withWebDriver(program: string, body: Body): Promise<void> {
  const browser = await WebDriver.start(program, { 'webkitgtk:browserOptions': { args: ['--automation'] } })
  try {
    await body(async ([work, ...rest], extent) => {
      await browser.go(page())
      return browser.run<Measure[]>('return window.works[arguments[0]](...arguments[1])', [work, [extent, ...rest]])
    })
  } finally {
    await browser.close()
  }
}
