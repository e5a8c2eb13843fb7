/** `idb-sessions/log`: the rules of a log as pure functions. */
export { decodeStorageRecord, packChunkRuns } from './chunks.js'
export type { ChunkRow, StorageRecord, TextChunkRow, ToolCallChunkRow } from './chunks.js'
export { interruptedTurnClosers } from './closers.js'
export { deriveEventMessage } from './derive.js'
export { isJsonValue, snapshotJsonValue } from './json.js'
export { foldSurface } from './surface.js'
export type { Replacement } from './surface.js'
export { branchPointFor, forkPointFor, lastForkPoint } from './turns.js'
