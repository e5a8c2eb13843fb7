import type { ToolCallBlock, ToolResultBlock } from 'idb-sessions'
import { Block } from './Block'

interface ToolCallProps {
  call: ToolCallBlock
  result: ToolResultBlock | undefined
  running: boolean
}

export function ToolCall({ call, result, running }: ToolCallProps) {
  return (
    <details className="tool" data-error={result?.isError === true}>
      <summary>
        Tool <code>{call.name}</code>
        <span className="muted">{outcome(result, running)}</span>
      </summary>
      <h3>Arguments</h3>
      <pre>{call.arguments}</pre>
      {result && (
        <>
          <h3>Result</h3>
          {result.content.map((block, i) => (
            <Block key={i} block={block} />
          ))}
        </>
      )}
    </details>
  )
}

function outcome(result: ToolResultBlock | undefined, running: boolean): string {
  if (result !== undefined) return result.isError === true ? 'failed' : 'done'
  return running ? 'running…' : 'not run'
}
