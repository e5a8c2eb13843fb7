import type { Message } from 'idb-sessions'

/** What a model says, piece by piece. A call's pieces have its id; its arguments are JSON text. */
export type Piece =
  | { kind: 'text' | 'reasoning'; text: string }
  | { kind: 'call'; id: string; name: string; argumentsDelta: string }

/** A language model, as the demo needs it. Put a real one in its place by writing `stream`. */
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
