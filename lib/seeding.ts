/** A seed on its way to storage: one that is too large for a transaction is put aside part by part. */
import type { Connection } from './connection.js'
import type { SessionEvent } from './log/event.js'
import { segmentsFrom, type Segment } from './log/jsonl.js'
import { WRITE_BUDGET, type CreateRequest } from './wire/protocol.js'

/** Stores a new session with its first events. Resolves to its stored length. */
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
