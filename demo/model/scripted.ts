import type { Model, Piece } from './model'
import { reply } from './script'

/** Between two pieces, ms. */
const PACE = 12

/** A model that needs no key and no network: it streams what `script.ts` has it say. */
export const scriptedModel: Model = {
  provider: 'demo',
  model: 'scripted',
  async *stream(messages, signal) {
    const { reasoning = '', text = '', call, failure } = reply(messages)
    for (const [kind, whole] of [['reasoning', reasoning] as const, ['text', text] as const]) {
      for (const word of whole.match(/\s*\S+|\s+$/g) ?? []) {
        await pause(signal)
        yield { kind, text: word }
      }
    }
    if (failure !== undefined) throw failure
    // The id is unique in the session: no two calls are made after the same number of messages.
    if (call !== undefined) yield* streamCall(`call-${messages.length}`, call.name, JSON.stringify(call.input), signal)
  },
}

async function* streamCall(id: string, name: string, json: string, signal: AbortSignal): AsyncGenerator<Piece> {
  yield { kind: 'call', id, name, argumentsDelta: '' }
  for (const piece of json.match(/.{1,4}/gsu) ?? []) {
    await pause(signal)
    yield { kind: 'call', id, name, argumentsDelta: piece }
  }
}

/** Waits for the next piece's time. Rejects as soon as the signal is aborted. */
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
