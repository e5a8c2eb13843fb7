/** What a long log takes of the machine: bytes on the disk, and memory while it comes in and while it is opened. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processes, type Engine } from '../faults/browser.js'
import { newTab } from './engines.js'
import type { Name } from './field.js'
import { measureOf, type Measure } from './measure.js'

/** Where browsers keep what pages store. */
const FOLDERS = ['Default/IndexedDB', 'Default/File System', 'storage/default']

/** Of each by itself, in a fresh profile; once, and without memory where there is no `/proc`. */
export async function footprint(engine: Engine, names: readonly Name[], length: number): Promise<Measure[]> {
  const measures: Measure[] = []
  const add = (work: string, by: string, bytes: number | undefined): void => {
    if (bytes !== undefined) measures.push(measureOf({ work, by, size: length, unit: 'MB' }, [bytes / 1e6]))
  }
  for (const name of names) {
    await withFreshProfile(async (profile) => {
      const { by, peak } = await peakOf(engine, profile, 'fillOne', name, length)
      add(
        'bytes on the disk',
        by,
        FOLDERS.reduce((sum, folder) => sum + sizeOf(join(profile, folder)), 0),
      )
      add('peak memory of storing', by, peak)
      add('peak memory of opening', by, (await peakOf(engine, profile, 'openOne', name, length)).peak)
    })
  }
  await withFreshProfile(async (profile) => {
    const { by, peak } = await peakOf(engine, profile, 'importOne', 'library', length)
    add('peak memory of importing a file', by, peak)
  })
  return measures
}

async function withFreshProfile(body: (profile: string) => Promise<void>): Promise<void> {
  const profile = mkdtempSync(join(realpathSync(tmpdir()), 'idb-sessions-bench-'))
  try {
    await body(profile)
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

/**
 * By how much the resident memory of all the browser's processes grew at most, each at its own peak, over what they had
 * when the page was there: the kernel's high-water marks, which are reset before.
 */
async function peakOf(
  engine: Engine,
  profile: string,
  work: 'fillOne' | 'openOne' | 'importOne',
  name: Name,
  length: number,
): Promise<{ by: string; peak?: number }> {
  const context = await engine.launch(profile)
  try {
    const tab = await newTab(context)
    const pids = processes(profile)
    for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5')
    const before = new Map(pids.map((pid) => [pid, memoryOf(pid, 'VmRSS')]))
    const by = await tab.evaluate(([work, name, length]) => window.works[work](name, length), [
      work,
      name,
      length,
    ] as const)
    if (pids.length === 0) return { by }
    // What was started meanwhile counts in full.
    const grown = processes(profile).map((pid) => memoryOf(pid, 'VmHWM') - (before.get(pid) ?? 0))
    return { by, peak: grown.reduce((sum, bytes) => sum + Math.max(0, bytes), 0) }
  } finally {
    await context.close()
  }
}

function memoryOf(pid: number, mark: 'VmRSS' | 'VmHWM'): number {
  try {
    const [, kilobytes] = new RegExp(`${mark}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kilobytes ?? 0) * 1024
  } catch {
    // It has ended meanwhile.
    return 0
  }
}

function sizeOf(folder: string): number {
  try {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return files
      .map((file) => statSync(join(folder, file)))
      .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)
  } catch {
    return 0
  }
}
