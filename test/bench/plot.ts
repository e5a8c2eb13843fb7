/** Growth curves as small SVG pictures, both axes logarithmic: what is flat there costs the same at any size. */
import type { Measure } from './measure.js'

export interface Plot {
  file: string
  title: string
  /** Of the sizes. */
  axis: string
  works: readonly string[]
}

export const plots: readonly Plot[] = [
  {
    file: 'append',
    title: 'append of a chunk, per call',
    axis: 'events in the log',
    works: ['append of a chunk, per call'],
  },
  { file: 'durable', title: 'durable append of 20', axis: 'events in the log', works: ['durable append of 20'] },
  { file: 'fork', title: 'fork of a live log', axis: 'events in the log', works: ['fork of a live log, end'] },
  { file: 'depth', title: 'fork at a depth', axis: 'generations', works: ['fork at a depth'] },
  { file: 'open', title: 'open and derive messages', axis: 'events in the log', works: ['open and derive messages'] },
  { file: 'list', title: 'list sessions', axis: 'sessions', works: ['list sessions'] },
  {
    file: 'delete',
    title: 'delete a parent of 10 forks',
    axis: 'events in the log',
    works: ['delete a parent of 10 forks'],
  },
  {
    file: 'append-sessions',
    title: 'durable append of 20 to 1,000 events',
    axis: 'sessions in the database',
    works: ['durable append of 20 among sessions'],
  },
  {
    file: 'open-sessions',
    title: 'open 1,000 events',
    axis: 'sessions in the database',
    works: ['open 1,000 events among sessions'],
  },
  {
    file: 'delete-sessions',
    title: 'delete 1,000 events',
    axis: 'sessions in the database',
    works: ['delete 1,000 events among sessions'],
  },
]

const [WIDTH, HEIGHT] = [360, 220]
const BOX = { left: 56, right: 348, top: 28, bottom: 182 }
/** Told apart by those who see no colours as well: each has its own dashes. */
const STYLES = ['#0b62d6', '#888888', '#c2410c', '#15803d', '#7e22ce', '#0e7490', '#a16207']
const DASHES = ['', '2 3', '6 3', '8 2 2 2', '4 4', '1 2', '10 4']

/** The picture, or undefined where nothing was measured at two sizes. */
export function svgOf({ title, axis, works }: Plot, measures: readonly Measure[]): string | undefined {
  const points = measures.filter(({ work, size }) => works.includes(work) && size !== undefined)
  const sizes = [...new Set(points.map(({ size }) => size!))].toSorted((a, b) => a - b)
  if (sizes.length < 2) return undefined
  const values = points.map(({ median }) => median).filter((median) => median > 0)
  const x = scale([sizes[0]!, sizes.at(-1)!], BOX.left, BOX.right)
  const limits: [number, number] = [
    10 ** Math.floor(Math.log10(Math.min(...values))),
    10 ** Math.ceil(Math.log10(Math.max(...values) * 1.01)),
  ]
  const y = scale(limits, BOX.bottom, BOX.top)
  const names = [...new Set(points.map(({ by }) => by))]
  const unit = points[0]!.unit
  const decades = Math.round(Math.log10(limits[1] / limits[0]))
  const marks = Array.from({ length: decades + 1 }, (_, i) => limits[0] * 10 ** i)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT + 14 * Math.ceil(names.length / 2)}" font-family="sans-serif" font-size="10">`,
    `<title>${title}</title>`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    text(BOX.left, 16, title, 'start', ' font-size="12" font-weight="bold"'),
    ...marks.flatMap((mark) => [rule(y(mark)), text(BOX.left - 6, y(mark) + 3, `${short(mark)} ${unit}`, 'end')]),
    ...sizes.map((size) => text(x(size), BOX.bottom + 14, short(size), 'middle')),
    text((BOX.left + BOX.right) / 2, BOX.bottom + 28, axis, 'middle'),
    ...names.flatMap((name, i) => {
      const own = points.filter(({ by, median }) => by === name && median > 0)
      const line = own
        .toSorted((a, b) => a.size! - b.size!)
        .map(({ size, median }) => `${round(x(size!))},${round(y(median))}`)
      const at = { x: BOX.left + (i % 2) * 150, y: HEIGHT + 14 * Math.floor(i / 2) + 6 }
      return [
        `<polyline fill="none" stroke="${STYLES[i]}" stroke-width="${i === 0 ? 2.5 : 1.5}" stroke-dasharray="${DASHES[i]}" points="${line.join(' ')}"/>`,
        `<path stroke="${STYLES[i]}" stroke-width="2" stroke-dasharray="${DASHES[i]}" d="M${at.x - 24} ${at.y - 3}h20"/>`,
        text(at.x, at.y, name, 'start'),
      ]
    }),
    '</svg>\n',
  ].join('\n')
}

function scale([from, to]: [number, number], start: number, end: number): (value: number) => number {
  return (value) => start + ((end - start) * Math.log(value / from)) / Math.log(to / from)
}

function text(x: number, y: number, content: string, anchor: string, more = ''): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${more}>${content}</text>`
}

function rule(y: number): string {
  return `<path stroke="#dddddd" d="M${BOX.left} ${round(y)}H${BOX.right}"/>`
}

function short(value: number): string {
  return value >= 1000 ? `${value / 1000}k` : `${Number(value.toPrecision(1))}`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
