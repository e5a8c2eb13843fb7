/** Answers a page's calls on any endpoint: the worker's own scope, or a MessagePort. */
import { expose, transfer, type Endpoint } from 'comlink'
import { toWire } from '../lib/wire/errors.js'
import type { Answer, Reading } from '../lib/wire/protocol.js'
import { EventStore } from './store.js'

/** Serves one page on `endpoint`. Returns what closes the store's database. */
export function serve(endpoint: Endpoint): () => Promise<void> {
  const store = new EventStore((news) => endpoint.postMessage({ news }))
  const api: Record<string, (...args: never[]) => Promise<Answer<unknown>>> = {}
  for (const [name, call] of Object.entries<(...args: never[]) => unknown>(store.calls)) {
    api[name] = async (...args) => {
      try {
        const value = await call(...args)
        const answer = { value }
        return name === 'read' ? transfer(answer, buffersOf(value as Reading)) : answer
      } catch (error) {
        return { error: toWire(error) }
      }
    }
  }
  expose(api, endpoint)
  return () => store.close()
}

function buffersOf(reading: Reading): ArrayBuffer[] {
  const values = reading.parts.flatMap(({ bytes, original }) => (original === undefined ? [bytes] : [bytes, original]))
  const buffers = values.map(({ buffer }) => buffer as ArrayBuffer)
  return [...new Set(buffers)]
}
