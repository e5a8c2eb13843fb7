import type { StreamChunk } from 'idb-sessions'
import type { Model } from './model'
import { reply } from './script'

/** Between two chunks, ms. */
const PACE = 20

/** A model that needs no key and no network: it streams what `script.ts` has it say. */
export const scriptedModel: Model = {
  provider: 'demo',
  model: 'scripted',
  async *stream(messages, signal) {
    const { reasoning, text, call, failure } = reply(messages)
    let index = 0
    for (const [type, whole] of [['reasoning-delta', reasoning] as const, ['text-delta', text] as const]) {
      if (whole === undefined) continue
      for (const word of whole.match(/\s*\S+|\s+$/g) ?? []) {
        await pause(signal)
        yield { type, index, text: word }
      }
      index++
    }
    if (failure !== undefined) throw failure
    if (call !== undefined) yield* streamCall(call.name, JSON.stringify(call.input), index, messages.length, signal)
    yield { type: 'finish', reason: { kind: call === undefined ? 'stop' : 'tool-calls' } }
  },
}

async function* streamCall(
  name: string,
  json: string,
  index: number,
  position: number,
  signal: AbortSignal,
): AsyncGenerator<StreamChunk> {
  // Unique in the session: no two calls are made after the same number of messages.
  const id = `call-${position}`
  yield { type: 'tool-call-delta', index, id, name, argumentsDelta: '' }
  for (const piece of json.match(/.{1,4}/gsu) ?? []) {
    await pause(signal)
    yield { type: 'tool-call-delta', index, id, argumentsDelta: piece }
  }
}

/** Waits for the next chunk's time. Rejects as soon as the signal is aborted. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, PACE)
    signal.addEventListener('abort', stop, { once: true })
  })
}
