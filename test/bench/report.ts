/** What a long run leaves behind: its figures as JSON, tables, plots, and the part of the README between its marks. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { lanes } from './engines.js'
import type { Ratios } from './loss.js'
import type { Measure } from './measure.js'
import { plots, svgOf } from './plot.js'
import { markdownOf, targetTable, type Results } from './table.js'
import { longSizes, targetsAt } from './targets.js'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const MARKS = ['<!-- bench: written by `npm run bench` -->', '<!-- /bench -->'] as const

/** What whoever reads the tables has to know. */
const CAVEATS = `
- "once": what takes longer than some seconds is not repeated.
- "durable": a power cut would not take it. IndexedDB is asked for strict transactions, SQLite syncs its file.
- Raw IndexedDB works in the page, without a worker in between, or in a worker that is asked through Comlink; both on bytes that stand ready. Its rows for a list are smaller than ours.
- "main thread in calls" is the time that append takes, and for this library the transcript too, which a subscriber reads whenever it is told.
- The longest task is how late a timer of 4 ms came: a machine that is busy with other things adds to it.
- The clocks of Firefox and WebKitGTK tell whole milliseconds: what is near one is coarse there, and so are ratios of it.
- Memory is how far the resident memory of all the browser's processes rose, each at its own peak, the 100,000 events as objects included.
- The bytes on the disk are compressed by LevelDB, and the text of these logs, of a few syllables, is easier to compress than prose.
`

export function recordRatios(ratios: Ratios): void {
  writeFileSync(here('ratios.json'), `${JSON.stringify(ratios, rounded, 2)}\n`)
}

export function recordedRatios(): Ratios {
  return JSON.parse(readFileSync(here('ratios.json'), 'utf8')) as Ratios
}

interface Recorded {
  /** Processor and date. */
  machine: string
  results: Results
}

/** Adds one engine's figures to those of the others, which may be of another run. */
export function record(engine: string, measures: readonly Measure[]): void {
  const path = here('results.json')
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Recorded) : undefined
  const all: Results = { ...before?.results, [engine]: measures }
  const titles = lanes.map(({ title }) => title).filter((title) => title in all)
  const results = Object.fromEntries(titles.map((title) => [title, all[title]!]))
  const machine = `${cpus().length} × ${cpus()[0]!.model.trim()}, ${new Date().toISOString().slice(0, 10)}`
  writeFileSync(path, `${JSON.stringify({ machine, results }, rounded, 2)}\n`)
  write({ machine, results })
}

/** Four figures: more would only be noise in a diff. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}

function write({ machine, results }: Recorded): void {
  const tables = Object.entries(results).map(([engine, measures]) => `## ${engine}\n\n${markdownOf(measures)}\n`)
  const intro = `Written by \`npm run bench\` (${machine}). Medians, with the smallest and the largest value.`
  writeFileSync(here('RESULTS.md'), [`# Figures\n`, intro, CAVEATS, ...tables].join('\n'))
  const first = results[lanes[0]!.title] ?? []
  mkdirSync(here('plots'), { recursive: true })
  const images = plots.flatMap((plot) => {
    const svg = svgOf(plot, first)
    if (svg === undefined) return []
    writeFileSync(here(`plots/${plot.file}.svg`), svg)
    return [`![${plot.title}](test/bench/plots/${plot.file}.svg)`]
  })
  const readme = here('../../README.md')
  const text = readFileSync(readme, 'utf8')
  const [begin, end] = MARKS
  const [before] = text.split(begin)
  const [, after] = text.split(end)
  if (before === undefined || after === undefined) throw new Error('the README has lost the marks of the bench')
  const block = [begin, targetTable(targetsAt(longSizes), results), images.join('\n'), end].join('\n\n')
  writeFileSync(readme, `${before}${block}${after}`)
}
