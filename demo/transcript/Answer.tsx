import type { ReactNode } from 'react'
import type { TranscriptEntry } from 'idb-sessions'
import { Block } from './Block'
import { Markdown } from './Markdown'
import { ToolCall } from './ToolCall'

interface AnswerProps {
  /** What the model said, step by step. */
  entries: readonly TranscriptEntry[]
  running: boolean
  children: ReactNode
}

export function Answer({ entries, running, children }: AnswerProps) {
  return (
    <article className="answer" aria-label="Answer" data-running={running}>
      {entries.map(({ key, blocks, results, state }) =>
        blocks.map((block, i) => {
          if (block.type === 'text') return <Markdown key={`${key}.${i}`} text={block.text} />
          if (block.type === 'tool-call') {
            return <ToolCall key={`${key}.${i}`} call={block} result={results[block.id]} running={running} />
          }
          return <Block key={`${key}.${i}`} block={block} open={state === 'streaming' && i === blocks.length - 1} />
        }),
      )}
      {children}
    </article>
  )
}
