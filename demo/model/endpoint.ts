import type { Message } from 'idb-sessions'
import { ModelFailure, type Model, type Piece } from './model'
import { toolSchemas } from './tools'
import { dataOf, isPage, isStream, messageOf, toWire, usageOf, type Chunk } from './wire'

export interface Endpoint {
  /** What `/chat/completions` is put after, such as `https://api.example.com/v1`. */
  address: string
  model: string
  /** Empty: none is sent, as for a model of one's own machine. */
  key: string
}

/** Longer than this an answer does not pause, ms. Models that think before the first word need a while. */
const STALL = 60_000

/** A model behind an endpoint that speaks OpenAI's protocol. */
export function endpointModel(endpoint: Endpoint, stall = STALL): Model {
  return {
    provider: new URL(endpoint.address).host,
    model: endpoint.model,
    async *stream(messages, signal) {
      const calls: Call[] = []
      let isFinished = false
      for await (const data of events(endpoint, messages, signal, stall)) {
        if (data === '[DONE]') break
        for (const piece of pieces(parse(data), calls)) {
          isFinished ||= piece.kind === 'end'
          yield piece
        }
      }
      if (!isFinished) throw new ModelFailure('CLOSED_EARLY', 'the connection was closed in the middle of the answer')
    },
  }
}

/** The data of the server's events. The connection is closed when nobody reads them any more. */
async function* events(
  { address, model, key }: Endpoint,
  messages: readonly Message[],
  signal: AbortSignal,
  stall: number,
): AsyncGenerator<string> {
  const stalled = new AbortController()
  const wait = (): ReturnType<typeof setTimeout> =>
    setTimeout(() => stalled.abort(new ModelFailure('STALLED', `nothing came for ${stall / 1000} s`)), stall)
  let timer = wait()
  try {
    const response = await fetch(`${address.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key !== '' && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({
        model,
        messages: messages.map(toWire),
        tools: toolSchemas,
        stream: true,
        stream_options: { include_usage: true },
      }),
      signal: AbortSignal.any([signal, stalled.signal]),
    }).catch((error: unknown) => {
      // The browser does not tell a page more than this about a server that did not let it in.
      throw error instanceof TypeError ? new ModelFailure('UNREACHABLE', `${address} cannot be reached`) : error
    })
    if (!isStream(response)) throw await refusal(response)
    for await (const data of dataOf(response)) {
      clearTimeout(timer)
      timer = wait()
      yield data
    }
  } finally {
    clearTimeout(timer)
    stalled.abort()
  }
}

/** Later pieces of a call say only which of the answer's calls they belong to. */
type Call = { index: number; id: string; name: string }

function* pieces({ choices, usage, error }: Chunk, known: Call[]): Generator<Piece> {
  if (error) throw new ModelFailure('REPORTED', messageOf(error) ?? 'the model failed')
  const { delta, finish_reason: reason } = choices?.[0] ?? {}
  const { reasoning_content: reasoning, content, tool_calls: calls } = delta ?? {}
  if (reasoning) yield { kind: 'reasoning', text: reasoning }
  if (content) yield { kind: 'text', text: content }
  for (const { index = 0, id, function: made } of calls ?? []) {
    let call = known.findLast((call) => call.index === index)
    // Some servers send whole calls, all with one index.
    if (call === undefined || (id && id !== call.id)) {
      call = { index, id: id || `call-${crypto.randomUUID()}`, name: made?.name ?? '' }
      known.push(call)
    }
    yield { kind: 'call', id: call.id, name: call.name, argumentsDelta: made?.arguments ?? '' }
  }
  if (reason === 'content_filter') throw new ModelFailure('CONTENT_FILTER', 'the provider stopped the answer')
  if (reason) yield { kind: 'end', isCut: reason === 'length' }
  if (usage) yield { kind: 'usage', usage: usageOf(usage) }
}

function parse(data: string): Chunk {
  let chunk: unknown
  try {
    chunk = JSON.parse(data)
  } catch {
    throw new ModelFailure('NOT_UNDERSTOOD', 'the server sent what is no JSON')
  }
  if (typeof chunk !== 'object' || chunk === null) {
    throw new ModelFailure('NOT_UNDERSTOOD', 'the server sent JSON that is no piece of an answer')
  }
  return chunk
}

/** What the server says of it, if it says something. */
async function refusal(response: Response): Promise<ModelFailure> {
  const text = await response.text()
  let said = isPage(response) ? 'a web page came in place of an answer' : text.trim()
  try {
    const { error } = JSON.parse(text) as Chunk
    said = messageOf(error) ?? said
  } catch {
    // A page for people, or nothing.
  }
  const status = `HTTP ${response.status}`
  return new ModelFailure(`HTTP_${response.status}`, said === '' ? status : `${status}: ${said.slice(0, 300)}`)
}
