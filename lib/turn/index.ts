/** `idb-sessions/turn`: writing the turns of an agent as they happen. */
export { toJson, userMessage } from './message.js'
export { runTurn } from './run.js'
export type { RunTurnOptions } from './run.js'
export { TurnWriter } from './writer.js'
export type { CommitOptions } from './writer.js'
export type { MessageOptions, ResultOptions, StepModel } from './step.js'
export { toFailure } from './failure.js'
