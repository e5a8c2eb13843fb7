import type { ContentBlock } from 'idb-sessions'

interface BlockProps {
  block: ContentBlock
  /** Whether reasoning is unfolded. */
  open?: boolean
}

/** A block of a message. All of it is text: what a session holds is never markup. */
export function Block({ block, open = false }: BlockProps) {
  switch (block.type) {
    case 'text':
      return <p className="text">{block.text}</p>
    case 'reasoning':
      return (
        <details className="reasoning" open={open}>
          <summary>Reasoning</summary>
          <p className="text">{block.text}</p>
        </details>
      )
    case 'image':
      return <p className="muted">[image {block.attachment.name ?? block.attachment.mediaType}]</p>
    default:
      // Tool calls are shown by their answer; a file may hold blocks that nobody knows.
      return null
  }
}
