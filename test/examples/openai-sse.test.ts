import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ask, type Endpoint } from './openai-sse'
import { halves, streams, type Answer, type Ending, type Part, type Stream } from './streams'
import { outcome, SOUND, usages, type Tools } from './support'

/** An answer by what is sent. */
interface Raw {
  deltas: readonly object[]
  ends: Ending
}

/** A server that gives these answers, one a request. */
async function serve(
  answers: readonly (Answer | Raw)[],
): Promise<{ endpoint: Omit<Endpoint, 'stallLimit'>; requests: unknown[] }> {
  const left = answers.values()
  const requests: unknown[] = []
  const server = createServer(async (request, response) => {
    const body = await request.setEncoding('utf8').toArray()
    requests.push(JSON.parse(body.join('')))
    send(response, left.next().value!)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/v1/chat/completions`
  return { endpoint: { provider: 'test', model: 'scripted', url }, requests }
}

function send(response: ServerResponse, answer: Answer | Raw): void {
  if ('status' in answer) {
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: answer.message } }))
    return
  }
  const { ends } = answer
  const sent = 'deltas' in answer ? answer.deltas : answer.says.flatMap(deltas)
  const event = (data: object): unknown => response.write(`data: ${JSON.stringify(data)}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  sent.forEach((delta) => event({ choices: [{ index: 0, delta, finish_reason: null }] }))
  if (ends === 'silent') return
  if (typeof ends === 'object') event({ error: { message: ends.error, code: 'E' } })
  else if (ends !== 'closed') {
    event({ choices: [{ index: 0, delta: {}, finish_reason: ends.replace('-', '_') }] })
    const details = { prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: { reasoning_tokens: 2 } }
    event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, ...details } })
    response.write('data: [DONE]\n\n')
  }
  response.end()
}

function deltas(part: Part, index: number): object[] {
  if ('text' in part) return halves(part.text).map((content) => ({ content }))
  if ('reasoning' in part) return halves(part.reasoning).map((text) => ({ reasoning_content: text }))
  const { call: id, tool: name, json } = part
  const [first, second] = halves(json)
  return [
    { tool_calls: [{ index, id, type: 'function', function: { name, arguments: first } }] },
    { tool_calls: [{ index, function: { arguments: second } }] },
  ]
}

function toolMap(tools: Tools) {
  const schema = { description: 'a tool', parameters: { type: 'object' } }
  return new Map(Object.entries(tools).map(([name, run]) => [name, { schema, run }]))
}

async function record(stream: Stream, stallLimit = 60_000) {
  const { endpoint, requests } = await serve(stream.answers)
  const told = await outcome(stream, (session, prompt, tools, signal) =>
    ask(session, prompt, { ...endpoint, stallLimit }, toolMap(tools), signal),
  )
  return { told, requests }
}

test.each(Object.entries(streams))('%s', async (_rule, stream) => {
  const { told } = await record(stream)
  expect(told).toMatchObject({ ...SOUND, shows: ['user: What time is it?', ...stream.shows], ends: stream.ends })
})

test('a server that says nothing for too long is an error, and what was seen is kept', async () => {
  const stream: Stream = {
    answers: [{ says: [{ text: 'Half an' }], ends: 'silent' }],
    shows: ['user: What time is it?', 'failed: Half an'],
    ends: 'error: nothing for 100 ms',
  }
  const { told } = await record(stream, 100)
  expect(told).toMatchObject({ ...SOUND, shows: stream.shows, ends: stream.ends })
})

test('the next request has the reasoning, the call and its result', async () => {
  const { requests } = await record(streams['reasoning, then a tool, and what comes of it, are two answers']!)
  const call = { id: 'a', type: 'function', function: { name: 'clock', arguments: '{"zone":"UTC"}' } }
  expect(requests[1]).toMatchObject({
    messages: [
      { role: 'user', content: 'What time is it?' },
      { role: 'assistant', content: '', reasoning_content: 'A clock?', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: '12:00 UTC' },
    ],
  })
})

test('counts cached input apart', async () => {
  const { told } = await record(streams['text is shown']!)
  expect(usages(told.session)).toEqual([{ inputTokens: 6, cacheReadTokens: 4, outputTokens: 5, reasoningTokens: 2 }])
})

test('arguments that are no JSON are not sent back', async () => {
  const { requests } = await record(streams['arguments that are no JSON fail, and are kept as they came']!)
  expect(JSON.stringify(requests[1])).toContain('"arguments":"{}"')
})

test('calls of servers that send each whole under one index, without ids or with nulls, are told apart', async () => {
  const whole = (id: string | undefined, args: string | null) => ({ id, function: { name: 'clock', arguments: args } })
  const calls = [whole('a', '{}'), whole('b', null), { function: null, id: null }]
  const { endpoint, requests } = await serve([
    { deltas: [{ tool_calls: calls }], ends: 'tool-calls' },
    { deltas: [{ content: 'Noon.' }], ends: 'stop' },
  ])
  const stream = { answers: [], shows: [], ends: 'completed' }
  await outcome(stream, (session, prompt, tools, signal) =>
    ask(session, prompt, { ...endpoint, stallLimit: 60_000 }, toolMap(tools), signal),
  )
  expect(requests[1]).toMatchObject({
    messages: [{}, { tool_calls: [{ id: 'a' }, { id: 'b' }] }, { tool_call_id: 'a' }, { tool_call_id: 'b' }],
  })
})

test('an error that is told with status 200 is the reason of the turn’s end', async () => {
  const { told } = await record({ answers: [{ status: 200, message: 'no such model' }], shows: [], ends: '' })
  expect(told.ends).toContain('no such model')
})
