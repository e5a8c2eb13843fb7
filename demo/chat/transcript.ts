import type { ContentBlock, SessionEvent, ToolResultBlock, TurnEndReason } from 'idb-sessions'
import { addChunk, type StreamedBlocks } from '../model/blocks'

export interface Prompt {
  kind: 'prompt'
  /** 'user' for what a person wrote; an agent adds messages of its own, such as instructions. */
  source: string
  blocks: readonly ContentBlock[]
}

/** All that the model said and did in a turn. */
export interface Answer {
  kind: 'answer'
  blocks: ContentBlock[]
  /** By the id of the call. */
  results: Map<string, ToolResultBlock>
  /** The `turn/end` that closed it, which is where it can be forked. Absent: its turn is open. */
  end?: { seq: number; reason: TurnEndReason }
}

/** Its place in the list is its identity: a log only grows. */
export type Entry = Prompt | Answer

/**
 * What a person should see of a log. Messages count that were appended; those that replace others, as compaction does,
 * are for the model. Chunks count where no message was made of them: while they stream, and in turns that were cut off.
 */
export function foldTranscript(events: readonly SessionEvent[]): Entry[] {
  const entries: Entry[] = []
  let answer: Answer | undefined
  let streamed: StreamedBlocks = new Map()
  let turnOpen = false

  const current = (): Answer => {
    if (answer === undefined) {
      answer = { kind: 'answer', blocks: [], results: new Map() }
      entries.push(answer)
    }
    return answer
  }
  const keepStreamed = (): void => {
    if (streamed.size > 0) current().blocks.push(...streamed.values())
    streamed = new Map()
  }

  for (const event of events) {
    if ('surfaceOp' in event && event.surfaceOp !== 'append') continue
    switch (event.type) {
      case 'turn/start':
        turnOpen = true
        answer = undefined
        break
      case 'user/message':
        entries.push({ kind: 'prompt', source: event.data.source.kind, blocks: event.data.content })
        answer = undefined
        break
      case 'assistant/chunk':
        addChunk(streamed, event.data.chunk)
        break
      case 'assistant/message':
        streamed = new Map()
        current().blocks.push(...event.data.message.content)
        break
      case 'tool/result': {
        const [result] = event.data.message.content
        current().results.set(result.toolCallId, result)
        break
      }
      case 'step/end':
        keepStreamed()
        break
      case 'turn/end':
        keepStreamed()
        current().end = { seq: event.seq, reason: event.data.reason }
        turnOpen = false
        answer = undefined
    }
  }
  keepStreamed()
  if (turnOpen) current()
  return entries
}

/** The title that the log gives itself last. */
export function titleOf(events: readonly SessionEvent[]): string {
  const titled = events.findLast((event) => event.type === 'session/title')
  return titled?.data.title ?? 'Untitled'
}
