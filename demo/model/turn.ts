import type { ContentBlock, LlmFailure, Session, ToolCallBlock, TurnEndReason } from 'idb-sessions'
import { addChunk, type StreamedBlocks } from './blocks'
import { newId } from './id'
import { ModelFailure, type Model } from './model'
import { shorten } from './shorten'
import { runTool } from './tools'

const APPEND = { surfaceOp: 'append' } as const

/**
 * Runs one turn and writes it down as it happens: the prompt, then steps of an answer and its tool calls until an
 * answer calls no tool. Resolves when the turn is closed, whatever ended it; the reason is in the log.
 */
export async function runTurn(session: Session, prompt: string, model: Model, signal: AbortSignal): Promise<void> {
  const turn = session.turn.next
  session.append('turn/start', { turn })
  let reason: TurnEndReason = { kind: 'completed' }
  try {
    session.append('step/start', { turn, step: 1 })
    appendPrompt(session, prompt)
    for (let step = 1; await runStep(session, turn, step, model, signal); step++) {
      session.append('step/end', { turn, step })
      session.append('step/start', { turn, step: step + 1 })
    }
  } catch (error) {
    // Deleted, or taken over by another tab: there is no log left to write to, and the page shows that.
    if (session.state !== 'live') return
    reason = signal.aborted ? { kind: 'aborted', reason: { kind: 'user' } } : { kind: 'error', error: toFailure(error) }
  }
  const { step } = session.turn
  if (step !== undefined) session.append('step/end', { turn, step })
  session.append('turn/end', { turn, reason })
}

/** A session is called by its first own prompt; so a fork is called by what sets it apart. */
function appendPrompt(session: Session, prompt: string): void {
  const isFirst = !session.slice(session.header.seedLength ?? 0).some(({ type }) => type === 'user/message')
  const content: ContentBlock[] = [{ type: 'text', text: prompt }]
  const { seq } = session.append(
    'user/message',
    { id: newId(), role: 'user', content, source: { kind: 'user' } },
    APPEND,
  )
  if (!isFirst) return
  const title = shorten(prompt.trim().replaceAll(/\s+/g, ' '), 60)
  session.append('session/title', { title, messageSeqs: [seq], source: { kind: 'fallback' } })
}

/** One answer and its tool calls. True: tools were called, so the model goes on. */
async function runStep(
  session: Session,
  turn: number,
  step: number,
  model: Model,
  signal: AbortSignal,
): Promise<boolean> {
  const blocks: StreamedBlocks = new Map()
  const sourceEventSeqs: number[] = []
  const commit = (content: ContentBlock[], interrupted: { interrupted?: true }): void => {
    const source = { kind: 'model', provider: model.provider, model: model.model } as const
    const message = { id: newId(), role: 'assistant', content, source } as const
    session.append('assistant/message', { turn, step, message, ...interrupted }, { ...APPEND, sourceEventSeqs })
  }
  try {
    for await (const chunk of model.stream(session.messages, signal)) {
      sourceEventSeqs.push(session.append('assistant/chunk', { turn, step, chunk }).seq)
      addChunk(blocks, chunk)
    }
  } catch (error) {
    const shown = [...blocks.values()].filter(isShown)
    if (signal.aborted && session.state === 'live' && shown.length > 0) commit(shown, { interrupted: true })
    throw error
  }
  const content = [...blocks.values()]
  commit(content, {})
  const calls = content.filter((block) => block.type === 'tool-call')
  for (const call of calls) await callTool(session, turn, step, call)
  return calls.length > 0
}

async function callTool(session: Session, turn: number, step: number, call: ToolCallBlock): Promise<void> {
  const { id: callId, name, arguments: json } = call
  const { seq } = session.append('tool/call', { turn, step, callId, name, arguments: json })
  const { text, error } = await runTool(name, json)
  session.append(
    'tool/result',
    {
      turn,
      step,
      message: {
        id: newId(),
        role: 'user',
        content: [
          {
            type: 'tool-result',
            toolCallId: callId,
            content: [{ type: 'text', text }],
            ...(error && { isError: true }),
          },
        ],
        source: { kind: 'tool', callId },
      },
      ...(error && { error }),
    },
    { ...APPEND, sourceEventSeqs: [seq] },
  )
}

/** What is kept of a stopped answer: text that was seen. A tool that was never run leaves no call behind. */
function isShown(block: ContentBlock): boolean {
  return (block.type === 'text' || block.type === 'reasoning') && block.text.trim() !== ''
}

function toFailure(error: unknown): LlmFailure {
  const code = error instanceof ModelFailure ? error.code : 'UNKNOWN'
  return { code, message: error instanceof Error ? error.message : String(error) }
}
