/** `idb-sessions`: a session store for agents that live in a web page. */
export * from './log/event.js'
export * from './log/message.js'
export type { ChunkRow, StorageRecord, TextChunkRow, ToolCallChunkRow } from './log/chunks.js'
export type { Replacement } from './log/surface.js'
export type { SessionHeader, SessionMeta } from './log/header.js'
export type { SurfaceView } from './log/growing.js'
export type { TranscriptEntry } from './log/transcript.js'
export type { ForkPoint, Rules, TurnState } from './log/turns.js'
export { branchPointFor, forkPointFor, lastForkPoint } from './log/turns.js'
export { interruptedTurnClosers } from './log/closers.js'

export { openSessions } from './open.js'
export type { OpenSessionsOptions } from './open.js'
export { SessionStore } from './store.js'
export type { CreateOptions } from './arrivals.js'
export type { Comparison } from './comparing.js'
export type { DeleteOutcome } from './deleting.js'
export type { SessionIndex } from './listing.js'
export { Session, SessionView } from './session.js'
export type { SessionState } from './session.js'
export type { Writer } from './writers.js'
export type { ImportReport, SessionStoreEvents, StoredChange, StoredSession } from './stored.js'
export type { ImportSource } from './importing.js'
export type { Branch } from './wire/protocol.js'
export type { StorageFigures } from './storage.js'
export type { StoreStatus } from './status.js'
export { SessionForkError, SessionStoreError } from './wire/errors.js'
export type {
  SessionForkErrorCode,
  SessionForkErrorFields,
  SessionStoreErrorCode,
  SessionStoreErrorFields,
} from './wire/errors.js'
