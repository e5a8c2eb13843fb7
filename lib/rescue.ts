/** What a session that was overtaken still has in common with what is stored. */
import type { SessionCore } from './core.js'
import type { SessionEvent } from './log/event.js'
import { readLog } from './reading.js'
import type { Registry } from './registry.js'
import { SessionStoreError } from './wire/errors.js'

/**
 * Events that both begin with, event for event as JSON text, and that can be read. Undefined: the stored log is gone, another
 * one, or damaged where it should be common, so that a fork of it would be no rescue.
 */
export async function commonLength(registry: Registry, lost: SessionCore): Promise<number | undefined> {
  // What is known to be stored is common: a log only grows.
  const { durable } = lost
  const known = durable === 0 ? [] : await readOrMiss(registry, lost, { upTo: durable - 1 })
  if (known?.length !== durable) return undefined
  const rest = await readOrMiss(registry, lost, { from: durable })
  // That what the other tab wrote cannot be read here does not make the rest less common.
  if (rest === undefined) return durable || undefined
  let common = durable
  for (const event of rest) {
    if (JSON.stringify(lost.log.at(common)) !== JSON.stringify(event)) break
    common++
  }
  return common
}

/** Whether what a fork was to share is not there any more. */
export function isGone(error: unknown): boolean {
  return error instanceof SessionStoreError && GONE.includes(error.code)
}

const GONE = ['SESSION_NOT_FOUND', 'SESSION_CONFLICT', 'SESSION_CORRUPT']

/** Undefined: it cannot be read. */
async function readOrMiss(
  { connection, ownTypes }: Registry,
  { header, stored }: SessionCore,
  range: { from?: number; upTo?: number },
): Promise<SessionEvent[] | undefined> {
  try {
    const { log, events } = await readLog(connection, header.id, ownTypes, range)
    return log === stored ? events : undefined
  } catch (error) {
    if (isGone(error) || (error as SessionStoreError).code === 'FORMAT_UNSUPPORTED') return undefined
    throw error
  }
}
