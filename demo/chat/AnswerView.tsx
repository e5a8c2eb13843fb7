import type { TurnEndReason } from 'idb-sessions'
import { ActionButton } from '../ActionButton'
import { Block } from './Block'
import { ToolCall } from './ToolCall'
import type { Answer } from './transcript'

interface AnswerViewProps {
  answer: Answer
  running: boolean
  onFork: ((boundary: number) => Promise<void>) | undefined
}

export function AnswerView({ answer, running, onFork }: AnswerViewProps) {
  const { blocks, results, end } = answer
  const cutOff = end ? describeEnd(end.reason) : running ? undefined : 'Not finished.'
  return (
    <article className="answer" aria-label="Answer" data-running={running}>
      {blocks.map((block, i) =>
        block.type === 'tool-call' ? (
          <ToolCall key={i} call={block} result={results.get(block.id)} running={running} />
        ) : (
          <Block key={i} block={block} open={running && i === blocks.length - 1} />
        ),
      )}
      <footer>
        {cutOff && <p className="cut-off">{cutOff}</p>}
        {running && <p className="muted">Answering… It can be forked when it is finished.</p>}
        {end && onFork && (
          <ActionButton className="small" action={() => onFork(end.seq)}>
            Fork here
          </ActionButton>
        )}
      </footer>
    </article>
  )
}

/** Why a turn ended before its time, or undefined. */
function describeEnd(reason: TurnEndReason): string | undefined {
  switch (reason.kind) {
    case 'completed':
      return undefined
    case 'interrupted':
      return 'Interrupted: the page was closed in the middle of this answer.'
    case 'aborted':
      return reason.reason.kind === 'user' ? 'Stopped.' : `Aborted (${reason.reason.kind}).`
    case 'error':
      return `Failed: ${reason.error.message}.`
    case 'max-tokens':
      return 'Cut off: the model had no tokens left.'
    default:
      return 'Ended early.'
  }
}
