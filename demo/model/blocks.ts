import type { ContentBlock, StreamChunk } from 'idb-sessions'

/** The content of a message while it streams, by the index of each block, in the order in which they began. */
export type StreamedBlocks = Map<number, ContentBlock>

/** Adds what a chunk brings. Blocks are replaced, never changed: they may be on the screen. */
export function addChunk(blocks: StreamedBlocks, chunk: StreamChunk): void {
  switch (chunk.type) {
    case 'text-delta':
    case 'reasoning-delta': {
      const type = chunk.type === 'text-delta' ? 'text' : 'reasoning'
      const before = blocks.get(chunk.index)
      const text = before?.type === type ? before.text : ''
      blocks.set(chunk.index, { type, text: text + chunk.text })
      return
    }
    case 'tool-call-delta': {
      const before = blocks.get(chunk.index)
      const { name, arguments: json } = before?.type === 'tool-call' ? before : { name: '', arguments: '' }
      blocks.set(chunk.index, {
        type: 'tool-call',
        id: chunk.id,
        name: chunk.name ?? name,
        arguments: json + chunk.argumentsDelta,
      })
    }
  }
}
