/** What a long run leaves behind: its figures as JSON, tables, plots, and the part of the README between its marks. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { leadSentence, leadTable } from './ahead.js'
import { CAVEATS, OMISSIONS } from './caveats.js'
import { lanes } from './engines.js'
import type { Ratios } from './loss.js'
import type { Measure } from './measure.js'
import { plots, svgOf } from './plot.js'
import { markdownOf, targetTable, type Results } from './table.js'
import { longSizes, targetsAt } from './targets.js'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const MARKS = ['<!-- bench: written by `npm run bench` -->', '<!-- /bench -->'] as const

/** One engine's figures, and where they come from. */
interface Run {
  machine: string
  date: string
  commit: string
  measures: readonly Measure[]
}

export function recordRatios(ratios: Ratios): void {
  writeFileSync(here('ratios.json'), `${JSON.stringify(ratios, rounded, 2)}\n`)
  format()
}

export function recordedRatios(): Ratios {
  return JSON.parse(readFileSync(here('ratios.json'), 'utf8')) as Ratios
}

/** Adds one engine's figures to those of the others, which may be of other runs. */
export function record(engine: string, measures: readonly Measure[]): void {
  const path = here('results.json')
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, Run>) : {}
  const machine = `${cpus().length} × ${cpus()[0]!.model.trim()}`
  const date = new Date().toISOString().slice(0, 10)
  const all: Record<string, Run> = { ...before, [engine]: { machine, date, commit: commit(), measures } }
  const titles = lanes.map(({ title }) => title).filter((title) => title in all)
  const runs = Object.fromEntries(titles.map((title) => [title, all[title]!]))
  writeFileSync(path, `${JSON.stringify(runs, rounded, 2)}\n`)
  writeTables(runs)
  writeReadme(runs)
  format()
}

/** What was measured: a commit, and whether code was changed since. */
function commit(): string {
  const git = (...args: string[]): string => {
    return execFileSync('git', args, { cwd: here('../..'), encoding: 'utf8' }).trim()
  }
  try {
    const changed = git('status', '--porcelain', 'lib', 'worker', 'test/bench/work', 'test/bench/peers') !== ''
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' and changes' : ''}`
  } catch {
    return 'no commit'
  }
}

/** Four figures: more would only be noise in a diff. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}

function resultsOf(runs: Record<string, Run>): Results {
  return Object.fromEntries(Object.entries(runs).map(([engine, { measures }]) => [engine, measures]))
}

function writeTables(runs: Record<string, Run>): void {
  const tables = Object.entries(runs).map(([engine, run]) => {
    return `## ${engine}\n\nOn ${stampOf(run)}.\n\n${markdownOf(run.measures)}\n`
  })
  const intro = 'Written by `npm run bench`. Medians, with the smallest and the largest value.'
  const ahead = `## Where others are ahead\n\nTheirs against ours, by more than a tenth, at the size where the lead is largest.\n`
  const parts = ['# Figures\n', intro, CAVEATS, ahead, `${leadTable(resultsOf(runs))}\n`, OMISSIONS, ...tables]
  writeFileSync(here('RESULTS.md'), parts.join('\n'))
}

function writeReadme(runs: Record<string, Run>): void {
  const results = resultsOf(runs)
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
  const stamps = [...new Set(Object.values(runs).map(stampOf))]
  const block = [
    begin,
    targetTable(targetsAt(longSizes), results),
    `On ${stamps.join('; ')}. ${leadSentence(results)}`,
    images.join('\n'),
    end,
  ]
  writeFileSync(readme, `${before}${block.join('\n\n')}${after}`)
}

function stampOf({ machine, date, commit }: Run): string {
  return `${machine}, ${date}, ${commit}`
}

function format(): void {
  const oxfmt = here('../../node_modules/oxfmt/bin/oxfmt')
  execFileSync(process.execPath, [oxfmt, 'test/bench', 'README.md'], { cwd: here('../..') })
}
