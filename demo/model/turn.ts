import type { ContentBlock, Session, TokenUsage } from 'idb-sessions'
import { runTurn, userMessage, type TurnWriter } from 'idb-sessions/turn'
import { ModelFailure, type Model } from './model'
import { shorten } from './shorten'
import { runTool } from './tools'

/** Of one turn: a model that calls tools for ever costs somebody money. */
const MAX_STEPS = 25

/**
 * Runs one turn and writes it down as it happens: the prompt, then steps of an answer and its tool calls until an
 * answer calls no tool. Rejects with what the model threw, which is the reason of the turn's end then.
 */
export async function answer(
  session: Session,
  prompt: string | ContentBlock[],
  model: Model,
  signal: AbortSignal,
): Promise<void> {
  const message = userMessage(prompt)
  await runTurn(
    session,
    message,
    async (turn) => {
      nameAfterPrompt(session, message.content)
      for (let steps = 1; await runStep(turn, session, model, signal); steps++) {
        if (steps === MAX_STEPS) throw new ModelFailure('NO_END', `the model called tools in ${steps} steps on end`)
      }
    },
    { signal },
  )
}

/** One answer and its tool calls. True: tools were called, so the model goes on. */
async function runStep(turn: TurnWriter, session: Session, model: Model, signal: AbortSignal): Promise<boolean> {
  const calls = new Map<string, { name: string; json: string }>()
  let usage: TokenUsage | undefined
  let isCut = false
  turn.beginStep(model)
  for await (const piece of model.stream(session.messages, signal)) {
    if (piece.kind === 'usage') usage = piece.usage
    else if (piece.kind === 'end') isCut = piece.isCut
    else if (piece.kind !== 'call') turn.delta(piece.kind, piece.text)
    else {
      const { id, name, argumentsDelta } = piece
      turn.call(id, name, argumentsDelta)
      calls.set(id, { name, json: (calls.get(id)?.json ?? '') + argumentsDelta })
    }
  }
  if (isCut) {
    turn.end({ kind: 'max-tokens' }, { usage })
    return false
  }
  turn.commit({ usage })
  for (const [id, { name, json }] of calls) {
    turn.start(id)
    const { text, error } = runTool(name, json)
    turn.result(id, text, error && { error })
  }
  return calls.size > 0
}

/** A conversation is called by its first prompt, until somebody renames it. A fork is named when it is made. */
function nameAfterPrompt(session: Session, content: readonly ContentBlock[]): void {
  if (session.seq > 2 || session.header.parentSession !== undefined) return
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join(' ')
  const title = shorten(text.trim().replaceAll(/\s+/g, ' '), 60)
  session.append('session/title', { title, messageSeqs: [session.seq - 1], source: { kind: 'fallback' } })
}
