import { AnswerView } from './AnswerView'
import { Block } from './Block'
import type { Entry, Prompt } from './transcript'
import { useStickToEnd } from './useStickToEnd'

interface TranscriptProps {
  entries: readonly Entry[]
  /** The last answer is being written. */
  running: boolean
  /** Absent: it cannot be forked any more. */
  onFork: ((boundary: number) => Promise<void>) | undefined
}

export function Transcript({ entries, running, onFork }: TranscriptProps) {
  const { ref, onScroll } = useStickToEnd()
  return (
    // Busy while it streams: a screen reader reads the finished answer, not every word of it.
    <div
      ref={ref}
      className="transcript"
      role="log"
      aria-label="Transcript"
      aria-busy={running}
      tabIndex={0}
      onScroll={onScroll}
    >
      <ol>
        {entries.map((entry, place) => (
          <li key={place}>
            {entry.kind === 'prompt' ? (
              <PromptView prompt={entry} />
            ) : (
              <AnswerView answer={entry} running={running && place === entries.length - 1} onFork={onFork} />
            )}
          </li>
        ))}
      </ol>
    </div>
  )
}

function PromptView({ prompt: { source, blocks } }: { prompt: Prompt }) {
  const name = source === 'user' ? 'You' : source
  return (
    <article className="prompt" aria-label={name}>
      {source !== 'user' && <p className="muted">{source}</p>}
      {blocks.map((block, i) => (
        <Block key={i} block={block} />
      ))}
    </article>
  )
}
