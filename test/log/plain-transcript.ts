/** The transcript of a log by its definition: each part looks through the whole log for what it needs. */
import type { ContentBlock, SessionEvent, ToolResultBlock, TranscriptEntry } from 'idb-sessions'

type Of<T extends SessionEvent['type']> = SessionEvent<T>

export function plainTranscript(events: readonly SessionEvent[]): TranscriptEntry[] {
  const prompts = events.filter(isAppended('user/message')).map(({ seq, data }) => ({
    ...entryAt(events, seq, seq),
    role: 'user' as const,
    blocks: data.content,
    state: 'done' as const,
  }))
  const answers = streams(events).map(({ chunks, message }) => answer(events, chunks, message))
  return [...prompts, ...answers].sort((a, b) => Number(a.key) - Number(b.key))
}

/** What was streamed up to a message, or up to what cuts it off; and messages that nothing was streamed for. */
function streams(events: readonly SessionEvent[]): { chunks: SessionEvent[]; message?: Of<'assistant/message'> }[] {
  const found: { chunks: SessionEvent[]; message?: Of<'assistant/message'> }[] = []
  let chunks: SessionEvent[] = []
  for (const event of events) {
    if (isVisible(event)) chunks.push(event)
    else if (isAppended('assistant/message')(event)) {
      found.push({ chunks, message: event })
      chunks = []
    } else if (isBorder(event)) {
      if (chunks.length > 0) found.push({ chunks })
      chunks = []
    }
  }
  if (chunks.length > 0) found.push({ chunks })
  return found
}

function answer(
  events: readonly SessionEvent[],
  chunks: SessionEvent[],
  message: Of<'assistant/message'> | undefined,
): TranscriptEntry {
  const first = chunks[0] ?? message!
  const entry = entryAt(events, first.seq, message?.seq ?? first.seq)
  const last = chunks.at(-1) ?? first
  const cut = events.find((event) => event.seq > last.seq && isBorder(event))
  let state: TranscriptEntry['state'] = cut === undefined && entry.turn !== undefined ? 'streaming' : 'interrupted'
  if (message !== undefined) state = message.data.interrupted === true ? 'interrupted' : 'done'
  const isLastStep = !events.slice(first.seq, entry.forkAt).some(({ type }) => type === 'step/start')
  if (state === 'interrupted' && entry.reason?.kind === 'error' && isLastStep) state = 'failed'
  const blocks = message?.data.message.content ?? blocksOf(chunks)
  return { ...entry, role: 'assistant', blocks, results: resultsOf(events, first.seq), state }
}

function entryAt(events: readonly SessionEvent[], first: number, seq: number): TranscriptEntry {
  const turn = openTurn(events, first)
  const end = events.slice(first).find(({ type }) => type === 'turn/start' || type === 'turn/end')
  const closed = turn !== undefined && end?.type === 'turn/end' ? end : undefined
  const reason = (closed?.data as { reason?: TranscriptEntry['reason'] } | null | undefined)?.reason
  return {
    key: String(first),
    seq,
    role: 'user',
    blocks: [],
    results: {},
    state: 'done',
    ...(turn !== undefined && { turn }),
    ...(reason !== undefined && { reason }),
    ...(closed !== undefined && { forkAt: closed.seq }),
  }
}

/** Numbers that are none count on from the turn before. */
function openTurn(events: readonly SessionEvent[], seq: number): number | undefined {
  let open: number | undefined
  let next = 1
  for (const event of events.slice(0, seq)) {
    if (event.type === 'turn/end') open = undefined
    if (event.type !== 'turn/start') continue
    const turn: unknown = (event.data as { turn?: unknown } | null)?.turn
    open = Number.isSafeInteger(turn) && (turn as number) >= 1 ? (turn as number) : next
    next = Math.min(open + 1, Number.MAX_SAFE_INTEGER)
  }
  return open
}

/** Of each result in the turn, the last answer before it that made its call gets it; what a message does not tell of was not made. */
function resultsOf(events: readonly SessionEvent[], first: number): Record<string, ToolResultBlock> {
  const results: Record<string, ToolResultBlock> = {}
  const callers = new Map<unknown, boolean>()
  const streamed = new Map<unknown, boolean>()
  let mine = false
  for (const event of events.slice(first)) {
    if (event.type === 'turn/start') break
    mine = event.seq === first || (mine && !isBorder(event))
    if (isBorder(event)) {
      for (const [id, isMine] of streamed) callers.set(id, isMine)
      streamed.clear()
    }
    if (event.type === 'assistant/message' && event.surfaceOp === 'append') {
      streamed.clear()
      for (const id of callsOf(event.data.message.content)) callers.set(id, mine)
      mine = false
    } else if (event.type === 'assistant/chunk' && isVisible(event)) {
      const { chunk } = event.data
      if (chunk.type === 'tool-call-delta') streamed.set(chunk.id, mine)
      if (chunk.type === 'block-end') for (const id of callsOf([chunk.block])) streamed.set(id, mine)
    } else if (isAppended('tool/result')(event)) {
      const [block] = event.data.message.content
      if (streamed.get(block.toolCallId) ?? callers.get(block.toolCallId)) {
        Object.defineProperty(results, block.toolCallId, { value: block, enumerable: true, configurable: true })
      }
    }
  }
  return results
}

function blocksOf(chunks: readonly SessionEvent[]): ContentBlock[] {
  const blocks: { index: unknown; block: ContentBlock }[] = []
  for (const event of chunks) {
    const { chunk } = event.data as { chunk: Record<string, unknown> & { type: string } }
    const { index } = chunk
    const last = blocks.findLast((other) => other.index === index)
    if (chunk.type === 'block-end') {
      if (last === undefined) blocks.push({ index, block: chunk['block'] as ContentBlock })
      else last.block = chunk['block'] as ContentBlock
      continue
    }
    const type = chunk.type.slice(0, -'-delta'.length) as 'text' | 'reasoning' | 'tool-call'
    const isSame = last?.block.type === type && (last.block.type !== 'tool-call' || last.block.id === chunk['id'])
    const before = isSame ? last : undefined
    const block =
      type === 'tool-call'
        ? {
            type,
            id: chunk['id'] as string,
            name:
              typeof chunk['name'] === 'string' ? chunk['name'] : before?.block.type === type ? before.block.name : '',
            arguments:
              (before?.block.type === type ? before.block.arguments : '') + (chunk['argumentsDelta'] as string),
          }
        : { type, text: (before?.block.type === type ? before.block.text : '') + (chunk['text'] as string) }
    if (before === undefined) blocks.push({ index, block })
    else before.block = block
  }
  return blocks.map(({ block }) => block)
}

function callsOf(blocks: readonly ContentBlock[]): unknown[] {
  return (blocks as (Partial<ContentBlock> | null)[]).flatMap((block) =>
    block?.type === 'tool-call' ? [block.id] : [],
  )
}

function isAppended<T extends 'user/message' | 'assistant/message' | 'tool/result'>(type: T) {
  return (event: SessionEvent): event is SessionEvent & Of<T> =>
    event.type === type && (event as { surfaceOp?: unknown }).surfaceOp === 'append'
}

function isBorder({ type }: SessionEvent): boolean {
  return type === 'turn/start' || type === 'turn/end' || type === 'step/start' || type === 'step/end'
}

function isVisible(event: SessionEvent): boolean {
  if (event.type !== 'assistant/chunk') return false
  const chunk = (event.data as { chunk?: Record<string, unknown> | null } | null)?.chunk
  switch (chunk?.['type']) {
    case 'text-delta':
    case 'reasoning-delta':
      return typeof chunk['text'] === 'string'
    case 'tool-call-delta':
      return typeof chunk['id'] === 'string' && typeof chunk['argumentsDelta'] === 'string'
    case 'block-end':
      return typeof (chunk['block'] as { type?: unknown } | null | undefined)?.type === 'string'
    default:
      return false
  }
}
