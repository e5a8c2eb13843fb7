// An OpenAI-compatible server on this machine that says what it is told to.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** One answer: the deltas of its text or call, and how it ends. 'silent': not at all. 'closed': in the middle. */
export interface Said {
  deltas: readonly object[]
  ends: 'stop' | 'tool_calls' | 'length' | 'silent' | 'closed' | { error: string }
}
/** `page`: for people, whatever is asked. `event`: the data of the only one. */
export type Reply = Said | { status: number; message: string } | { status: number; page: string } | { event: string }

export interface TestEndpoint {
  address: string
  requests: { headers: IncomingHttpHeaders; body: { model: string; messages: unknown[] } }[]
  /** Connections that are open. */
  open(): number
}

/** @param replies one a request */
export async function serveEndpoint(replies: readonly Reply[]): Promise<TestEndpoint> {
  const left = replies.values()
  const requests: TestEndpoint['requests'] = []
  const answering = new Set<ServerResponse>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', 'authorization, content-type')
    if (request.method === 'OPTIONS') return void response.end()
    const body = await request.setEncoding('utf8').toArray()
    requests.push({ headers: request.headers, body: JSON.parse(body.join('')) })
    answering.add(response)
    response.on('close', () => answering.delete(response))
    reply(response, left.next().value!)
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}/v1`, requests, open: () => answering.size }
}

function reply(response: ServerResponse, reply: Reply): void {
  if ('page' in reply) {
    response.writeHead(reply.status, { 'content-type': 'text/html' }).end(reply.page)
    return
  }
  if ('event' in reply) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${reply.event}\n\n`)
    return
  }
  if ('status' in reply) {
    response.writeHead(reply.status).end(JSON.stringify({ error: { message: reply.message } }))
    return
  }
  const { deltas, ends } = reply
  const event = (data: object): unknown => response.write(`data: ${JSON.stringify(data)}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const delta of deltas) event({ choices: [{ index: 0, delta, finish_reason: null }] })
  if (ends === 'silent') return
  if (typeof ends === 'object') event({ error: { message: ends.error } })
  else if (ends !== 'closed') {
    event({ choices: [{ index: 0, delta: {}, finish_reason: ends }] })
    event({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } })
    response.write('data: [DONE]\n\n')
  }
  response.end()
}

export function text(...pieces: string[]): object[] {
  return pieces.map((content) => ({ content }))
}

/** A call in two pieces. */
export function call(name: string, input: object): object[] {
  const json = JSON.stringify(input)
  const middle = json.length >> 1
  return [
    { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name, arguments: json.slice(0, middle) } }] },
    { tool_calls: [{ index: 0, function: { arguments: json.slice(middle) } }] },
  ]
}
