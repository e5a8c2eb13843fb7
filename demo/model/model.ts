import type { Message, TokenUsage } from 'idb-sessions'

/** What a model says, piece by piece. A call's pieces have its id; its arguments are JSON text. */
export type Piece =
  | { kind: 'text' | 'reasoning'; text: string }
  | { kind: 'call'; id: string; name: string; argumentsDelta: string }
  | { kind: 'usage'; usage: TokenUsage }
  /** The last one may say that the answer was cut off for want of tokens. */
  | { kind: 'end'; isCut: boolean }

/** A language model, as the demo needs it. */
export interface Model {
  readonly provider: string
  readonly model: string
  /** Streams one answer to what the session shows. Throws a `ModelFailure`, or the signal's reason after an abort. */
  stream(messages: readonly Message[], signal: AbortSignal): AsyncIterable<Piece>
}

export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}
