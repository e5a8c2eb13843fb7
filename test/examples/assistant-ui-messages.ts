/** Entries of a transcript as messages of assistant-ui. */
import { fromThreadMessageLike, type MessageStatus, type ThreadMessage } from '@assistant-ui/react'
import type { SessionEvent, TranscriptEntry } from 'idb-sessions'

/** A session, or an array of its events. */
type Log = { at(seq: number): SessionEvent | undefined }

/** So that what did not change is not rendered again. */
const converted = new WeakMap<TranscriptEntry, ThreadMessage>()

export function toMessages(log: Log, transcript: readonly TranscriptEntry[]): ThreadMessage[] {
  let asked = 0
  return transcript.map((entry) => {
    const event = log.at(entry.seq)!
    if (entry.role === 'user') asked = event.time
    // Sessions that share a message give it the same id. A prompt keeps its own when it is asked again.
    const id = event.type === 'user/message' ? event.data.id : `${asked}-${entry.key}`
    const message = converted.get(entry) ?? convert(entry, id, new Date(asked))
    converted.set(entry, message)
    return message
  })
}

function convert(entry: TranscriptEntry, id: string, createdAt: Date): ThreadMessage {
  const { role, blocks, results } = entry
  const content = blocks.flatMap((block) => {
    if (block.type === 'text') return block
    if (block.type === 'reasoning') return role === 'assistant' ? block : []
    if (block.type !== 'tool-call') return []
    const { id: toolCallId, name: toolName, arguments: argsText } = block
    const { content: output, isError } = results[toolCallId] ?? {}
    const result = output?.map((block) => ('text' in block ? block.text : '')).join('')
    return { type: 'tool-call' as const, toolCallId, toolName, argsText, result, isError }
  })
  const status = statusOf(entry)
  return fromThreadMessageLike({ role, id, createdAt, content, ...(role === 'assistant' && { status }) }, id, status)
}

function statusOf({ state, reason }: TranscriptEntry): MessageStatus {
  if (state === 'streaming') return { type: 'running' }
  if (reason?.kind === 'error' && state === 'failed') {
    return { type: 'incomplete', reason: 'error', error: reason.error.message }
  }
  if (reason?.kind === 'max-tokens') return { type: 'incomplete', reason: 'length' }
  return state === 'done' ? { type: 'complete', reason: 'stop' } : { type: 'incomplete', reason: 'cancelled' }
}
