/** The session header: its shape, its checks, and its line in a file (`spec` 2.1, 7.2). */
import type { SessionId } from './event.js'
import { copyJson } from './json.js'

/** The format that this library reads and writes. */
export const SESSION_FORMAT_VERSION = 0

/** A header and anything as long as one is stored in every row, so it stays far below the size that IndexedDB moves aside. */
const MAX_HEADER_BYTES = 16 * 1024
/** A fork's header holds its own id, its parent's and the parent's cwd: small enough that every session can be forked. */
const MAX_ID_BYTES = 2 * 1024
const MAX_CWD_BYTES = 8 * 1024

export interface SessionHeader {
  /** Always 0. */
  readonly version: number
  readonly id: SessionId
  /** Unix epoch, ms. */
  readonly createdAt: number
  /** An absolute path: `/…`, `X:\…`, `X:/…` or `\\…`. */
  readonly cwd?: string
  /** The session that this one was forked from. It may be deleted by now. */
  readonly parentSession?: SessionId
  /** How many leading events are inherited. */
  readonly seedLength?: number
  readonly origin?: 'subagent'
  /** Absent means 0. */
  readonly delegationDepth?: number
  readonly agentPreset?: string
}

/** What `create` takes of a header. Unknown fields are dropped. */
export type SessionMeta = Partial<
  Pick<
    SessionHeader,
    'cwd' | 'parentSession' | 'seedLength' | 'createdAt' | 'origin' | 'delegationDepth' | 'agentPreset'
  >
>

/** Optional fields in the order in which they are written. */
const OPTIONAL = ['cwd', 'parentSession', 'seedLength', 'origin', 'delegationDepth', 'agentPreset'] as const

/** A header, deeply frozen, or the reason why there can be none. */
export function makeHeader(id: unknown, meta: unknown, now: number): SessionHeader | { reason: string } {
  if (typeof id !== 'string') return { reason: 'a session id must be a string; leave it undefined to have one made' }
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) return { reason: 'meta must be an object' }
  const given = meta as Record<string, unknown>
  const header: Record<string, unknown> = { version: SESSION_FORMAT_VERSION, id, createdAt: given['createdAt'] ?? now }
  for (const field of OPTIONAL) {
    const value = given[field]
    if (value !== undefined) header[field] = value
  }
  const reason = headerProblem(header)
  return reason === undefined ? (Object.freeze(header) as unknown as SessionHeader) : { reason }
}

/** What is wrong with a header, or undefined. Every field is a scalar, so this is the whole check. */
export function headerProblem(header: Record<string, unknown>): string | undefined {
  const copy = copyJson(header)
  if (!copy.ok) return `a header must be lossless JSON, not ${copy.reason}`
  if (bytesOf(header) > MAX_HEADER_BYTES) return 'a header must hold at most 16 KiB as JSON'
  const { version, id, createdAt, cwd, parentSession, seedLength, origin, delegationDepth, agentPreset } = header
  if (version !== SESSION_FORMAT_VERSION) return `version is ${SESSION_FORMAT_VERSION}`
  if (typeof id !== 'string') return 'id must be a string'
  if (bytesOf(id) > MAX_ID_BYTES) return 'id must hold at most 2 KiB as JSON'
  if (!isCount(createdAt)) return 'createdAt must be a safe integer ≥ 0 (ms)'
  if (cwd !== undefined && !isAbsolute(cwd)) return 'cwd must be an absolute path'
  if (bytesOf(cwd ?? '') > MAX_CWD_BYTES) return 'cwd must hold at most 8 KiB as JSON'
  if (parentSession !== undefined && typeof parentSession !== 'string') return 'parentSession must be a string'
  if (seedLength !== undefined && !isCount(seedLength)) return 'seedLength must be a safe integer ≥ 0'
  if (origin !== undefined && origin !== 'subagent') return "origin must be 'subagent' or absent"
  if (delegationDepth !== undefined && !isCount(delegationDepth)) return 'delegationDepth must be a safe integer ≥ 0'
  if (agentPreset !== undefined && typeof agentPreset !== 'string') return 'agentPreset must be a string'
  return undefined
}

/** The first line of a file, without its newline. `delegationDepth` is required there. */
export function encodeHeader(header: SessionHeader): string {
  const { version, id, createdAt, cwd, parentSession, seedLength, origin, delegationDepth = 0, agentPreset } = header
  return JSON.stringify({
    type: 'session',
    version,
    id,
    createdAt,
    cwd,
    parentSession,
    seedLength,
    origin,
    delegationDepth,
    agentPreset,
  })
}

const NO_FILE = 'this is no session file (session.jsonl), which begins with its header as a line of JSON'

export type DecodedHeader = { header: SessionHeader } | { unsupported: string } | { reason: string }

/** Reads the first line of a file. Unknown keys are dropped; another version is told apart from a bad header. */
export function decodeHeader(line: string): DecodedHeader {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { reason: NO_FILE }
  }
  if (typeof value !== 'object' || value === null) return { reason: NO_FILE }
  const record = value as Record<string, unknown>
  if (record['type'] !== 'session') return { reason: NO_FILE }
  if (typeof record['version'] === 'number' && record['version'] !== SESSION_FORMAT_VERSION) {
    const age = record['version'] > SESSION_FORMAT_VERSION ? 'newer than' : 'not'
    return { unsupported: `format version ${record['version']} is ${age} version ${SESSION_FORMAT_VERSION}` }
  }
  if ('sandboxMode' in record || 'approvalPolicy' in record) {
    return { reason: 'sandboxMode and approvalPolicy are no header fields any more' }
  }
  if (record['version'] === undefined) return { reason: 'the header has no version' }
  if (!isCount(record['createdAt'])) return { reason: 'createdAt must be a safe integer ≥ 0 (ms)' }
  if (!isCount(record['delegationDepth'])) return { reason: 'delegationDepth is required in a file' }
  const known: Record<string, unknown> = {
    version: record['version'],
    id: record['id'],
    createdAt: record['createdAt'],
  }
  for (const field of OPTIONAL) if (field in record) known[field] = record[field]
  const reason = headerProblem(known)
  return reason === undefined ? { header: Object.freeze(known) as unknown as SessionHeader } : { reason }
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength
}

/** There is no rule of an operating system in a browser: POSIX and Windows paths both count. */
function isAbsolute(path: unknown): boolean {
  return typeof path === 'string' && /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path)
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
