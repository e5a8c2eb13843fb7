/**
 * What is stored, record by record. A change of any shape here raises `FORMAT.version` in `format.ts`; an optional field
 * that old rows do without is none, as long as whoever does not know it keeps it: rows are put back whole.
 */
import type { DBSchema } from 'idb'
import type { SessionId } from '../lib/log/event.js'
import type { SessionHeader } from '../lib/log/header.js'
import type { Summary } from '../lib/log/summary.js'

/** One session. Its events are those of its lineage up to `base`, then those of its own log up to `length`. */
export interface SessionRow {
  id: SessionId
  header: SessionHeader
  /** Name of the own log: random, never a session's id, so that it tells a session from a later one with its id. */
  log: string
  /** Where the own log begins: how many events are inherited. */
  base: number
  /** The inherited spans; absent when nothing is inherited. */
  lineage?: string
  length: number
  /** Random, new with every create, fork, import and load: a writer that holds another one has been overtaken. */
  epoch: string
  summary: Summary
  /** Set beside the log, whose own title is in `summary`. Rows from before there was such a field have none. */
  title?: string
  /** A reservation, an unseeded session without an event: the token of the page that it goes with. */
  reserved?: string
}

/**
 * Up to `MAX_SPANS` spans, immutable and shared by all sessions that inherit the same. Span i: events before `ends[i]`,
 * from the span before it on, are in `logs[i]`. `start` is where the first span begins and the lineage `up` ends.
 */
export interface LineageRecord {
  key: string
  start: number
  logs: string[]
  ends: number[]
  up?: string
}

/** A run of whole lines of a log. Replaced only by a merge, and cut when nobody reaches its end any more. */
export interface SegmentRecord {
  log: string
  first: number
  count: number
  bytes: Uint8Array
  /** CRC-32 of `bytes`: a flipped byte inside a string is still valid JSON. */
  sum: number
  /** The lines as a file brought them, where they had shapes of an old version; exported while they are intact. */
  original?: { bytes: Uint8Array; sum: number }
  /** Written by a session here; imported bytes are kept as they came. */
  own: boolean
  /** The summary of everything before its first event. */
  before: Summary
  /** Seqs of the `turn/start`s and `turn/end`s in it, so that turns are found without decoding. */
  starts: number[]
  ends: number[]
}

/** A log that an import or a large seed is writing, until its session is there. */
export interface StagingRecord {
  log: string
  length: number
  summary: Summary
  /** Of its last transaction, Unix epoch ms. Tells a dead one where there are no Web Locks. */
  touched: number
}

export interface StoreRecord {
  key: 'store'
  version: number
  /** Random, the database's own. */
  id: string
}

export interface Schema extends DBSchema {
  sessions: { key: SessionId; value: SessionRow; indexes: { log: string; lineage: string } }
  lineages: { key: string; value: LineageRecord; indexes: { logs: string; up: string } }
  segments: { key: [log: string, first: number]; value: SegmentRecord }
  staging: { key: string; value: StagingRecord }
  store: { key: 'store'; value: StoreRecord }
}
