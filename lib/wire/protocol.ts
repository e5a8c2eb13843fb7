/** What page and worker say to each other: a few coarse calls, whose arguments and answers are plain data. */
import type { SessionId } from '../log/event.js'
import type { SessionHeader } from '../log/header.js'
import type { Segment } from '../log/jsonl.js'
import type { WireError } from './errors.js'

/** Raised with every change of a call, so that a page never talks to another version's worker. */
export const PROTOCOL = 3

/** The worker never throws over the wire: an error arrives as data and is thrown on the page, as its class. */
export type Answer<T> = { value: T } | { error: WireError }

/** The calls as the page makes them: each is asynchronous and answers `Answer<…>` on the wire. */
export interface Calls {
  open(request: OpenRequest): Opened
  ping(): void
  /** Whether a session of this id is stored; a reservation is none. */
  exists(id: SessionId): boolean
  list(): StoredRow[]
  /** The rows of these ids, in their order; undefined where `list` has none. */
  rows(ids: readonly SessionId[]): (StoredRow | undefined)[]
  /** Adds a session. Answers its stored length. */
  create(request: CreateRequest): number
  /** Adds a session that shares the first `length` events of another. Answers the child's stored length. */
  fork(request: ForkRequest): number
  /** Takes a session over with a new epoch and adds `segments`; 'changed': it is no longer what was `seen`. */
  load(request: LoadRequest): number | 'changed'
  /** Adds events at `first`, if that is the stored length. Answers the stored length, whatever it is. */
  append(request: AppendRequest): number
  /** Makes everything committed so far safe against a power cut. Answers the stored length. */
  flush(id: SessionId, epoch: string): number
  /**
   * Gives a session a title beside its log's, '': none. Answers the row as it is listed; undefined for a reservation,
   * which only the page of this token may name.
   */
  setTitle(id: SessionId, title: string, token: string): StoredRow | undefined
  /** Takes back the reservation of a session that never got an event. */
  unreserve(id: SessionId, epoch: string): void
  /** A part of a log, from `from` on, of about `READ_BUDGET` bytes. */
  read(id: SessionId, from: number): Reading
  /** Every other session that shares events with this one; none for a reservation of the page of this token. */
  branches(id: SessionId, token: string): Branch[]
  /** How many events two sessions share in storage, and what of them is stored. */
  shared(a: SessionId, b: SessionId): Shared
  delete(ids: readonly SessionId[]): ('deleted' | 'missing')[]
  /** Joins small segments of the session's own log. Answers how many records were saved. */
  merge(id: SessionId): number
  /** Puts segments of a log aside that is too large for one transaction; `create` with `staged` takes them. */
  stage(op: string, segments: Segment[]): void
  /** Drops what was staged or is being imported under `op`. */
  unstage(op: string): void
  importBegin(op: string, id: SessionId | undefined, eventTypes: readonly string[]): void
  /** Answers the id that the session will have, once its header was read. */
  importWrite(op: string, bytes: Uint8Array): SessionId | undefined
  importEnd(op: string): Imported
  /** Takes back the session that `create`, `fork` or an import made under `op`, after its answer was lost. */
  undo(op: string): void
  /** The answer to the news that the database is needed elsewhere: this page has sent what it had. */
  leave(): void
}

/**
 * What the worker says unasked, as `{ news }`: 'blocked': another tab keeps the database from being opened; 'leaving':
 * another tab needs it, and gets it in a moment or after the call `leave`.
 */
export type News = 'blocked' | 'leaving'

export type Api = {
  [K in keyof Calls]: (...args: Parameters<Calls[K]>) => Promise<Answer<ReturnType<Calls[K]>>>
}

/** Held by a page while it has, or had, reservations. */
export function pageLock(databaseName: string, token: string): string {
  return lockName(databaseName, 'page', token)
}

/** Held by a worker while it lives. */
export function aliveLock(databaseName: string, token: string): string {
  return lockName(databaseName, 'worker', token)
}

/** Held by the page that writes a session. */
export function sessionLock(databaseName: string, id: SessionId): string {
  return lockName(databaseName, 'session', id)
}

/** The session of such a lock, if its id is not too long; undefined for any other lock of the origin. */
export function sessionOfLock(databaseName: string, lock: string): SessionId | undefined {
  const prefix = lockName(databaseName, 'session', '')
  return lock.startsWith(prefix) ? lock.slice(prefix.length) : undefined
}

/** Held by a worker while it puts a log aside. */
export function stagingLock(databaseName: string, log: string): string {
  return lockName(databaseName, 'staging', log)
}

function lockName(databaseName: string, kind: string, name: string): string {
  return `idb-sessions:${short(databaseName)}:${kind}:${short(name)}`
}

/** WebKit takes no name over 1,024 characters. Two that become the same shut each other out, and no more. */
function short(name: string): string {
  if (name.length <= 400) return name
  let hash = 0
  for (let i = 0; i < name.length; i++) hash = (Math.imul(hash, 31) + name.charCodeAt(i)) | 0
  return `${name.slice(0, 400)}…${hash}`
}

/** Bytes that one `read` answers, as a rule: enough to be few calls, little enough to be no burden. */
export const READ_BUDGET = 2 * 1024 * 1024
/** Bytes of segments that one transaction writes. */
export const WRITE_BUDGET = 1024 * 1024

export interface OpenRequest {
  name: string
  protocol: number
  /** Names a Web Lock that shows the page that its worker lives. */
  token: string
  fallback: 'none' | 'memory'
  /** Id of the database that the page works on: another one in its place is refused. */
  known?: string
}

export interface Opened {
  /** Random, the database's own. */
  id: string
  /** There is no usable IndexedDB: it lives and dies with the worker. */
  isMemory: boolean
}

export interface StoredRow {
  header: SessionHeader
  length: number
  lastTime: number
  /** The one that was set, else the log's own. */
  title?: string
  openTurn: boolean
}

/** A relative of a session, at its place in the tree of all of them. */
export interface Branch {
  id: SessionId
  /** As in `StoredSession`. */
  title?: string
  /** The session that it parts from, and how many events they have in common. */
  sharedWith: SessionId
  shared: number
  /** Its stored events beyond those. */
  own: number
}

export interface Shared {
  /** 0 when one of them is not stored. */
  shared: number
  /** Absent when there is no such session; a reservation is none. */
  a?: Pick<Reading, 'log' | 'epoch' | 'length'>
  b?: Pick<Reading, 'log' | 'epoch' | 'length'>
}

export interface CreateRequest {
  /** Random, minted by the caller: names the operation, the new log, and is its first epoch. */
  op: string
  header: SessionHeader
  /** The id is only reserved: unlisted, and free again once the page of this token is gone. */
  reserved?: string
  segments: Segment[]
  /** Events that `stage` has already put aside under `op`. */
  staged: number
}

export interface ForkRequest {
  op: string
  header: SessionHeader
  /** The source is what the caller read when its log, or its epoch, is still this one. */
  source: { id: SessionId; log: string } | { id: SessionId; epoch: string }
  length: number
  segments: Segment[]
}

export interface LoadRequest {
  id: SessionId
  /** The new epoch. */
  op: string
  seen: { log: string; length: number; epoch: string }
  segments: Segment[]
}

export interface AppendRequest {
  id: SessionId
  epoch: string
  first: number
  segments: Segment[]
  /** Somebody waits until it is safe against a power cut. It is anyway when it holds a `turn/end`. */
  strict?: boolean
}

/** A run of whole lines, cut exactly to `first` … `first + count - 1`. */
export interface Part {
  first: number
  count: number
  bytes: Uint8Array
  /** The same lines as a file brought them, to be exported as they came. */
  original?: Uint8Array
  /** Whether a turn ends in it. */
  hasEnd: boolean
}

export interface Reading {
  header: SessionHeader
  log: string
  epoch: string
  length: number
  parts: Part[]
  /** The stored bytes are damaged after the first `readable` events. */
  damage?: { readable: number; reason: string }
}

export interface Imported {
  row: StoredRow
  /** A torn tail that was left out: its first line (1-based), and what was wrong with it. */
  dropped?: { line: number; reason: string }
}
