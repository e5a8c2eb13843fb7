import type { ContentBlock } from 'idb-sessions'
import { Block } from './Block'

interface PromptProps {
  blocks: readonly ContentBlock[]
  source: string
}

export function Prompt({ blocks, source }: PromptProps) {
  return (
    <article className="prompt" aria-label={source === 'user' ? 'You' : source}>
      {source !== 'user' && <p className="muted">{source}</p>}
      {blocks.map((block, i) => (
        <Block key={i} block={block} />
      ))}
    </article>
  )
}
