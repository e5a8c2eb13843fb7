/** What closes a turn that a crash left open (`spec` 5). */
import type { SessionEvent } from './event.js'
import { advanceTurn, NO_TURN, stepOf } from './turns.js'

/** A call without a result; `callSeq` is the seq of its `tool/call`, if it was started. */
export interface PendingCall {
  step: number
  callSeq?: number
}

const OUTCOME_UNKNOWN =
  'This tool call was started, but its turn was cut off before a result was recorded, so nobody knows whether it took ' +
  'effect. Check before you repeat it, unless it only reads or may safely be done twice.'
const NOT_STARTED = 'This tool call was never started: its turn was cut off first. It is safe to make it again.'

/**
 * The events that close the open turn of a log: a result for every call that has none, the end of the open step, the
 * end of the turn with reason `interrupted`. Empty when nothing is open. Their time is that of the last event.
 *
 * A `turn/start` may hold any number, or none, but a log whose `turn/end` does cannot be read again. So the turn that they
 * close is the one that `session.turn` says is open: a start without a number from 1 up has the next one.
 * Source: `spec` 5.
 */
export function interruptedTurnClosers(events: readonly SessionEvent[]): SessionEvent[] {
  let state = NO_TURN
  const pending = new Map<string, PendingCall>()
  for (const event of events) {
    state = advanceTurn(state, event)
    switch (event.type) {
      case 'turn/start':
      case 'turn/end':
      case 'step/end':
        pending.clear()
        break
      case 'assistant/message':
        for (const block of event.data.message.content) {
          // Nobody checked the blocks. A call without an id can have no result: that needs a non-empty string.
          if (block?.type !== 'tool-call' || typeof block.id !== 'string' || block.id === '') continue
          pending.set(block.id, { step: stepOf(event) })
        }
        break
      case 'tool/call': {
        const call = pending.get(event.data?.callId)
        if (call !== undefined) call.callSeq = event.seq
        break
      }
      case 'tool/result':
        pending.delete(event.data.message.source.callId)
        break
      default:
    }
  }
  const { open: turn, step } = state
  const last = events.at(-1)
  if (turn === undefined || last === undefined) return []

  const closers: SessionEvent[] = []
  let seq = last.seq
  const time = last.time
  for (const [callId, call] of pending) closers.push(closingResult(callId, call, turn, ++seq, time))
  if (step !== undefined) closers.push({ type: 'step/end', seq: ++seq, time, data: { turn, step } })
  closers.push({ type: 'turn/end', seq: ++seq, time, data: { turn, reason: { kind: 'interrupted' } } })
  return closers
}

/** The result of a call whose own will not come. */
export function closingResult(
  callId: string,
  call: PendingCall,
  turn: number,
  seq: number,
  time: number,
): SessionEvent<'tool/result'> {
  const started = call.callSeq !== undefined
  return {
    type: 'tool/result',
    seq,
    time,
    data: {
      turn,
      step: call.step,
      message: {
        id: `interrupted-tool-result-${callId}-${seq}`,
        role: 'user',
        source: { kind: 'tool', callId },
        content: [
          {
            type: 'tool-result',
            toolCallId: callId,
            isError: true,
            content: [{ type: 'text', text: started ? OUTCOME_UNKNOWN : NOT_STARTED }],
          },
        ],
      },
      error: started
        ? { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' }
        : { name: 'ToolNotStartedError', code: 'TOOL_NOT_STARTED' },
    },
    surfaceOp: 'append',
    ...(call.callSeq !== undefined && { sourceEventSeqs: [call.callSeq] }),
  }
}
