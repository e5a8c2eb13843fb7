/** Measures as a table: a line for each work, a column for each contestant, a median with its spread in each cell. */
import type { Measure } from './measure.js'
import { finder, IDLE, isMet, type Target } from './target.js'

export type Results = Record<string, readonly Measure[]>

/** All that was measured in one engine. */
export function markdownOf(all: readonly Measure[]): string {
  const idle = all.filter(({ by }) => by === IDLE)
  const measures = all.filter(({ by }) => by !== IDLE)
  const names = [...new Set(measures.map(({ by }) => by))]
  const lines = new Map<string, Map<string, Measure>>()
  for (const measure of measures) {
    const line = titleOf(measure)
    if (!lines.has(line)) lines.set(line, new Map())
    lines.get(line)!.set(measure.by, measure)
  }
  const table = rows([
    ['work', ...names],
    ...[...lines].map(([title, cells]) => [title, ...names.map((name) => cellOf(cells.get(name)))]),
  ])
  return [...idle.map((measure) => `${measure.work} of ${measure.by}: ${cellOf(measure)}\n`), table].join('\n')
}

/** What was promised, and what came out in each engine; a target that is missed is in bold type. */
export function targetTable(targets: readonly Target[], results: Results): string {
  const engines = Object.keys(results)
  return rows([
    ['target', 'limit', ...engines],
    ...targets.map((target) => [
      target.what,
      limitOf(target),
      ...engines.map((engine) => {
        const value = target.of(finder(results[engine]!))
        if (value === undefined) return ''
        const text = `${number(value)} ${target.unit}`
        return isMet(target, value) ? text : `**${text}**`
      }),
    ]),
  ])
}

function limitOf({ least, most, unit }: Target): string {
  if (least !== undefined) return `≥ ${number(least)} ${unit}`
  return most === undefined ? '' : `≤ ${number(most)} ${unit}`
}

function titleOf({ work, size }: Measure): string {
  return size === undefined ? work : `${work}: ${size.toLocaleString('en')}`
}

function cellOf(measure: Measure | undefined): string {
  if (measure === undefined) return ''
  const { median, min, max, unit, count } = measure
  const few = count < 5 ? `of ${count}: ` : ''
  const spread = count === 1 ? ' (once)' : ` (${few}${number(min)}–${number(max)})`
  return `${number(median)} ${unit}${spread}`
}

/** Three figures that count. */
export function number(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return `${Number(value.toPrecision(3))}`
}

/** Aligned, so that it reads as text too. */
export function rows(cells: readonly string[][]): string {
  const widths = cells[0]!.map((_, column) => Math.max(3, ...cells.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`
  const [head, ...body] = cells
  return [line(head!), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}
