/** OpenAI-compatible endpoints: an agent's loop over streams of server-sent events, with its tools. */
import type { Session, UserMessage } from 'idb-sessions'
import { runTurn, toFailure, type TurnWriter } from 'idb-sessions/turn'
import { dataOf, isStream, messageOf, toWire, usageOf, type Chunk } from '../../demo/model/wire'

/** `url` is the whole one; `stallLimit` is how long an answer may pause, in ms. */
export type Endpoint = { provider: string; model: string; url: string; headers?: object; stallLimit: number }
/** `schema` has a description, and the parameters as a JSON Schema. */
export type Tool = { schema: object; run(input: unknown, signal?: AbortSignal): Promise<string> }
export type Tools = ReadonlyMap<string, Tool>
type Call = { index: number; id: string; name: string; json: string }

/** Asks until no tool is called. Rejects with the error that happened, which is the reason of the turn's end too. */
export function ask(session: Session, prompt: UserMessage, to: Endpoint, tools: Tools, signal?: AbortSignal) {
  const functions = Array.from(tools, ([name, { schema }]) => ({ type: 'function', function: { name, ...schema } }))
  const loop = async (turn: TurnWriter): Promise<void> => {
    let calls: Call[]
    do {
      turn.beginStep(to)
      const request = { messages: session.messages.map(toWire), ...(functions.length > 0 && { tools: functions }) }
      calls = await answer(turn, events(to, request, signal))
      await Promise.all(calls.map((call) => runTool(turn, call, tools.get(call.name), signal)))
    } while (calls.length > 0)
  }
  return runTurn(session, prompt, loop, { signal })
}

/** The data of the server's events. */
async function* events({ model, url, headers, stallLimit }: Endpoint, request: object, signal?: AbortSignal) {
  const stall = new AbortController()
  const wait = () => setTimeout(() => stall.abort(failure(`nothing for ${stallLimit} ms`, 'STALLED')), stallLimit)
  let timer = wait()
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, ...request, stream: true, stream_options: { include_usage: true } }),
      signal: AbortSignal.any(signal ? [signal, stall.signal] : [stall.signal]),
    })
    if (!isStream(response)) throw failure(`HTTP ${response.status}: ${await response.text()}`, 'HTTP', response.status)
    for await (const data of dataOf(response)) {
      clearTimeout(timer)
      timer = wait()
      yield data
    }
  } finally {
    clearTimeout(timer)
    stall.abort() // the connection
  }
}

/** Writes an answer while it streams. Returns the calls that it makes. */
async function answer(turn: TurnWriter, events: AsyncIterable<string>): Promise<Call[]> {
  const calls: Call[] = []
  let finish: string | undefined
  let usage: Chunk['usage']
  for await (const data of events) {
    if (data === '[DONE]') break
    const chunk = JSON.parse(data) as Chunk
    const { error } = chunk
    if (error) throw failure(messageOf(error) ?? data, typeof error === 'string' ? undefined : error.code)
    usage = chunk.usage ?? usage
    const { delta, finish_reason } = chunk.choices?.[0] ?? {}
    finish = finish_reason ?? finish
    turn.delta('reasoning', delta?.reasoning_content ?? '')
    turn.delta('text', delta?.content ?? '')
    for (const { index = 0, id, function: made } of delta?.tool_calls ?? []) {
      const json = made?.arguments ?? ''
      let call = calls.findLast((call) => call.index === index)
      // Some servers send whole calls, all with one index.
      if (call === undefined || (id && id !== call.id)) {
        call = { index, id: id || crypto.randomUUID(), name: made?.name ?? '', json: '' }
        calls.push(call)
      }
      call.json += json
      turn.call(call.id, call.name, json)
    }
  }
  if (finish === undefined) throw failure('the connection was closed in the middle of the answer', 'CLOSED_EARLY')
  if (finish === 'content_filter') throw failure('the provider stopped the answer', finish)
  const options = { usage: usage ? usageOf(usage) : undefined }
  if (finish === 'length') turn.end({ kind: 'max-tokens' }, options)
  else turn.commit(options)
  return finish === 'length' ? [] : calls
}

async function runTool(turn: TurnWriter, { id, name, json }: Call, tool?: Tool, signal?: AbortSignal): Promise<void> {
  try {
    if (tool === undefined) throw failure(`there is no tool '${name}'`, 'UNKNOWN_TOOL')
    const input: unknown = JSON.parse(json || '{}')
    turn.start(id)
    turn.result(id, await tool.run(input, signal))
  } catch (error) {
    const { message, code } = toFailure(error)
    turn.result(id, message, { error: { name: 'ToolError', code } })
  }
}

const failure = (message: string, code: unknown, status?: number) => Object.assign(new Error(message), { code, status })
