/** The relations between the events of a turn that an agent's loop keeps (`spec` 4). */
import type { SessionEvent } from './event.js'

/** An event that breaks a relation, and which one. */
export interface TurnViolation {
  seq: number
  rule: string
}

/**
 * What a log's turns, steps and tool calls do that no loop would write; empty when nothing. A log with violations can
 * still be stored, loaded and forked. After one, the check goes on from what the event says, so that one slip is
 * reported once. Source: `spec` 4.
 */
export function checkTurns(events: readonly SessionEvent[]): TurnViolation[] {
  const check = new TurnCheck()
  return events.flatMap((event) => {
    const rule = check.apply(event)
    return rule === undefined ? [] : [{ seq: event.seq, rule: `${event.type}: ${rule}` }]
  })
}

const NAMES_STEP = 'it names the open turn and step'

class TurnCheck {
  #seq = -1
  /** Undefined: none is open. */
  #turn: unknown
  #step: unknown
  #nextTurn = 1
  #nextStep = 1
  readonly #pending = new Set<unknown>()

  /** Takes the next event in; the rule that it breaks, or undefined. */
  apply(event: SessionEvent): string | undefined {
    const inOrder = event.seq > this.#seq
    this.#seq = event.seq
    const rule = this.#relation(event)
    return inOrder ? rule : 'its seq is greater than all before it'
  }

  #relation(event: SessionEvent): string | undefined {
    const data = placeOf(event)
    switch (event.type) {
      case 'turn/start':
        return this.#startTurn(data)
      case 'turn/end':
        return this.#endTurn(data)
      case 'step/start':
        return this.#startStep(data)
      case 'step/end':
        return this.#endStep(data)
      case 'assistant/chunk':
      case 'assistant/message':
        return this.#isOpen(data) ? undefined : NAMES_STEP
      case 'tool/call':
        if (!this.#isOpen(data)) return NAMES_STEP
        this.#pending.add(data.callId)
        return undefined
      case 'tool/result':
        return this.#result(event, data)
      case 'todo/write':
      case 'request/header':
      case 'request/context':
        return this.#turn === undefined ? 'a turn is open' : undefined
      default:
        return undefined
    }
  }

  #startTurn({ turn }: Place): string | undefined {
    const isOpen = this.#turn !== undefined
    const expected = this.#nextTurn
    this.#turn = turn
    this.#step = undefined
    this.#nextStep = 1
    this.#pending.clear()
    if (isOpen) return 'no turn is open'
    return turn === expected ? undefined : `its number is the next one, ${expected}`
  }

  #endTurn({ turn }: Place): string | undefined {
    const isNamed = this.#turn !== undefined && turn === this.#turn
    const isStepOpen = this.#step !== undefined
    this.#turn = this.#step = undefined
    if (typeof turn === 'number') this.#nextTurn = turn + 1
    if (!isNamed) return 'it names the open turn'
    return isStepOpen ? 'no step is open' : undefined
  }

  #startStep({ turn, step }: Place): string | undefined {
    const isOpen = this.#step !== undefined
    const expected = this.#nextStep
    this.#step = step
    if (this.#turn === undefined || turn !== this.#turn) return 'it names the open turn'
    if (isOpen) return 'no step is open'
    return step === expected ? undefined : `its number is the next one, ${expected}`
  }

  #endStep(place: Place): string | undefined {
    const isNamed = this.#isOpen(place)
    this.#pending.clear()
    this.#step = undefined
    if (typeof place.step === 'number') this.#nextStep = place.step + 1
    return isNamed ? undefined : NAMES_STEP
  }

  #result({ data, surfaceOp }: SessionEvent<'tool/result'>, place: Place): string | undefined {
    if (surfaceOp !== 'append') return this.#turn === undefined ? 'a turn is open' : undefined
    if (!this.#isOpen(place)) return NAMES_STEP
    if (this.#pending.delete(data.message.source.callId)) return undefined
    const isSynthetic = data.message.content[0].isError === true && data.error?.code === 'TOOL_NOT_STARTED'
    return isSynthetic ? undefined : 'it answers a pending call'
  }

  #isOpen({ turn, step }: Place): boolean {
    return this.#turn !== undefined && this.#step !== undefined && turn === this.#turn && step === this.#step
  }
}

/** What data says of its place; of whatever shape, since most data is not looked into before it is logged. */
interface Place {
  turn: unknown
  step: unknown
  callId: unknown
}

function placeOf(event: SessionEvent): Place {
  const { turn, step, callId } = (event.data ?? {}) as Partial<Place>
  return { turn, step, callId }
}
