/** Real browsers on profiles of their own, which may be killed. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, firefox, type BrowserContext, type Page } from 'playwright'
import { expect, onTestFinished } from 'vitest'
import { browsers, findBrowser } from '../setup/browsers.mjs'
import { address } from './site.js'

export interface Engine {
  title: string
  isMissing?: boolean
  launch(profile: string, more?: LaunchOptions): Promise<BrowserContext>
  /** The files that it has made of a database. */
  files(profile: string): string[]
}

export interface LaunchOptions {
  args?: string[]
  /** Default arguments of Playwright to leave out. */
  without?: string[]
}

const inChromium = (flags: string[]): Engine['launch'] => {
  return async (profile, { args = [], without = [] } = {}) => {
    const executablePath = await findBrowser(browsers.chromium)
    return chromium.launchPersistentContext(profile, {
      args: [...browsers.chromium.flags, ...flags, ...args],
      ignoreDefaultArgs: without,
      ...(executablePath && { executablePath }),
    })
  }
}
export const filesUnder = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' })
const inDefault = (profile: string): string[] => filesUnder(join(profile, 'Default/IndexedDB'))

/** What makes Chromium store with SQLite. */
export const SQLITE = ['--enable-features=IdbSqliteBackingStore']
export const levelDB: Engine = { title: 'Chromium, LevelDB', launch: inChromium([]), files: inDefault }
export const sqlite: Engine = {
  title: 'Chromium, SQLite',
  launch: inChromium(SQLITE),
  files: inDefault,
}
const firefoxPath = await findBrowser(browsers.firefox)
export const gecko: Engine = {
  title: firefoxPath === undefined ? 'Firefox (not installed)' : 'Firefox',
  isMissing: firefoxPath === undefined,
  launch: (profile) =>
    firefox.launchPersistentContext(profile, { channel: 'moz-firefox', executablePath: firefoxPath! }),
  files: (profile) => filesUnder(join(profile, 'storage/default')),
}

/** A folder that is removed after the test. */
export function newProfile(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'idb-sessions-profile-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A browser that is closed after the test. */
export async function launch(engine: Engine, profile = newProfile(), more?: LaunchOptions): Promise<BrowserContext> {
  const context = await engine.launch(profile, more)
  onTestFinished(async () => {
    const pids = processes(profile)
    await context.close()
    // Its last processes may still write to the profile, which is removed next.
    await ended(pids)
  })
  return context
}

/** A tab with the page, in which nothing is open yet. */
export async function newTab(context: BrowserContext, host?: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address(host))
  await page.waitForFunction(() => 'faults' in window)
  return page
}

/** The same with a store opened. */
export async function openTab(context: BrowserContext, host?: string): Promise<Page> {
  const page = await newTab(context, host)
  // 'gone' works as well; what is refused gives its code.
  expect(await page.evaluate(() => window.faults.open())).toMatch(/^(ready|gone)$/)
  return page
}

/** Ends a browser as a crash would: no process of it gets to do anything more. */
export async function kill(profile: string, context: BrowserContext): Promise<void> {
  const closed = new Promise((resolve) => context.once('close', resolve))
  const pids = processes(profile)
  expect(pids.length).toBeGreaterThan(1)
  signal(pids, 'SIGKILL')
  await closed
  await ended(pids)
  // What a killed browser leaves behind would keep the next one from starting.
  for (const lock of ['SingletonLock', 'lock', '.parentlock']) rmSync(join(profile, lock), { force: true })
}

/** Resolves when none of these processes can do anything more. */
export async function ended(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([])
}

export function signal(pids: readonly number[], name: 'SIGKILL' | 'SIGSTOP'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It has ended by itself.
    }
  }
}

/** The browser that works on a profile, and everything it has started; on Linux, where `/proc` tells. */
export function processes(profile: string): number[] {
  if (process.platform !== 'linux') return []
  const isBrowser = (command: string): boolean =>
    (command.includes(`--user-data-dir=${profile}\0`) && !command.includes('--type=')) ||
    (command.includes(`--profile\0${profile}\0`) && !command.includes('-contentproc'))
  return everyProcess()
    .filter(({ command }) => isBrowser(command))
    .flatMap(({ pid }) => withStarted(pid))
}

/** A process and all that it has started, those that they have started included; on Linux. */
export function withStarted(pid: number): number[] {
  const pids = [pid]
  const all = everyProcess()
  for (const parent of pids) {
    pids.push(...all.filter((child) => child.parent === parent && !pids.includes(child.pid)).map(({ pid }) => pid))
  }
  return pids
}

function everyProcess() {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (describe(Number(name)) ?? []) : []))
}

function describe(pid: number): { pid: number; parent: number; command: string } | undefined {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return { pid, parent: Number(statusOf(pid)[1]), command }
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    return statusOf(pid)[0] !== 'Z'
  } catch {
    return false
  }
}

/** State and parent of a process: what follows its name, which may hold anything. */
function statusOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
