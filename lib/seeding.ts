/** What a session begins with: how its end is marked, and its way to storage. */
import type { Connection } from './connection.js'
import type { SessionEvent } from './log/event.js'
import type { GrowingLog } from './log/growing.js'
import { freezeJson } from './log/json.js'
import { segmentsFrom, type Segment } from './log/jsonl.js'
import type { Rules } from './log/turns.js'
import { WRITE_BUDGET, type CreateRequest } from './wire/protocol.js'

/** `rules: 'harness'`: a seed ends in a marker. Source: `spec` 2.2. */
export function markSeed(log: GrowingLog, rules: Rules): void {
  if (rules !== 'harness' || log.at(log.length - 1)?.type === 'session/end-seed') return
  log.push(freezeJson({ type: 'session/end-seed', seq: log.length, time: Date.now(), data: {} }))
}

/** Stores a new session with its first events; what is too large for a transaction is put aside part by part. Resolves to its stored length. */
export async function storeSeed(
  connection: Connection,
  session: Omit<CreateRequest, 'segments' | 'staged'>,
  events: readonly SessionEvent[],
): Promise<number> {
  let segments: Segment[] = []
  let bytes = 0
  let staged = 0
  try {
    for (const segment of segmentsFrom(events)) {
      if (bytes >= WRITE_BUDGET) {
        await connection.call('stage', session.op, segments)
        staged = segment.first
        segments = []
        bytes = 0
      }
      segments.push(segment)
      bytes += segment.bytes.byteLength
    }
    return await connection.call('create', { ...session, segments, staged })
  } catch (error) {
    // Best effort: what stays behind is freed by a later open.
    connection.call('unstage', session.op).catch(() => {})
    throw error
  }
}
