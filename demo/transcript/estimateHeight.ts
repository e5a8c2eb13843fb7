import type { Turn } from './turns'

/** Of the column of text at most, px; of an average letter; of a line. As in the style sheets. */
const COLUMN = 696
const LETTER = 8.2
const LINE = 25

/** Of a turn that was never drawn, px: near enough that what is in sight stays there when it is drawn. */
export function estimateHeight({ entries }: Turn, width: number): number {
  const lettersInLine = Math.min(width - 24, COLUMN) / LETTER
  let height = 0
  for (const { blocks } of entries) {
    height += 60
    for (const block of blocks) {
      height += block?.type === 'text' ? LINE * Math.ceil(block.text.length / lettersInLine) : 45
    }
  }
  return height
}
