/** A file on its way to the worker, which checks and stores it as it comes. */
import { transfer } from 'comlink'
import type { Connection } from './connection.js'
import type { SessionId } from './log/event.js'
import type { Registry } from './registry.js'
import { undoIfLost } from './undo.js'
import { SessionStoreError } from './wire/errors.js'
import type { Imported } from './wire/protocol.js'
import { randomToken } from './wire/token.js'

export type ImportSource = Blob | ReadableStream<Uint8Array> | string

/** Bytes handed to the worker in one call. */
const PIECE = 1024 * 1024

/** The worker learns the id from the file, so it is only then that this page can say whether it has such a session. */
export async function importFile(
  connection: Connection,
  registry: Registry,
  source: ImportSource,
  id: SessionId | undefined,
): Promise<Imported> {
  const reader = toStream(source).getReader()
  const op = randomToken()
  let forget = (): void => {}
  // A stream may have nothing to give for ever.
  const closed = new Promise<never>((_, reject) => (forget = connection.onEnd(reject)))
  closed.catch(() => {})
  try {
    await connection.call('importBegin', op, id, [...registry.ownTypes])
    let target: SessionId | undefined
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), closed])
      if (done) break
      if (!(value instanceof Uint8Array)) throw new TypeError('importLog reads a stream of Uint8Array')
      for (let at = 0; at < value.byteLength; at += PIECE) {
        const piece = value.slice(at, at + PIECE)
        target = await connection.call('importWrite', op, transfer(piece, [piece.buffer]))
        if (target !== undefined) refuseLive(registry, target)
      }
    }
    return await registry.queues.exclusive(target === undefined ? [] : [target], async () => {
      if (target === undefined) return connection.call('importEnd', op)
      refuseLive(registry, target)
      const right = await registry.tabs.take(target).catch(() => undefined)
      if (right === undefined) throw liveElsewhere(target)
      return connection.call('importEnd', op).finally(() => right.release())
    })
  } catch (error) {
    reader.cancel(error).catch(() => {})
    // Best effort: what stays behind is freed by a later open.
    connection.call('unstage', op).catch(() => {})
    await undoIfLost(connection, op, error)
    throw error
  } finally {
    forget()
  }
}

function refuseLive(registry: Registry, id: SessionId): void {
  if (registry.get(id) === undefined) return
  const message = `the session '${id}' is live here; import under another id`
  throw new SessionStoreError('SESSION_ALREADY_EXISTS', message, { sessionId: id })
}

function liveElsewhere(id: SessionId): SessionStoreError {
  const message = `the session '${id}' is live in another tab; import under another id`
  return new SessionStoreError('SESSION_ALREADY_EXISTS', message, { sessionId: id })
}

function toStream(source: ImportSource): ReadableStream<Uint8Array> {
  if (source instanceof ReadableStream) return source
  if (source instanceof Blob) return source.stream()
  if (typeof source !== 'string') throw new TypeError('importLog takes a Blob, a ReadableStream of bytes or a string')
  // A Blob would replace half a surrogate pair by U+FFFD without a word.
  const lone = /\p{Surrogate}/u.exec(source)
  if (lone === null) return new Blob([source]).stream()
  const line = source.slice(0, lone.index).split('\n').length
  throw new SessionStoreError('INVALID_LOG', `line ${line}: half a surrogate pair, which UTF-8 cannot hold`, { line })
}
