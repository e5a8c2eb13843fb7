/** Runs functions in a page that asks for them, in a browser that nobody drives. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Driven, Ledger } from './ledger.js'

export interface Question {
  id: number
  /** A function, as JavaScript. */
  body: string
  arg: unknown
}

interface Answer {
  id: number
  value?: unknown
  error?: string
}

interface Waiting {
  answered: (value: unknown) => void
  failed: (error: Error) => void
}

export class Asked implements Driven {
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  readonly #waiting = new Map<number, Waiting>()
  readonly #questions: Question[] = []
  /** What the page waits on while there is no question. */
  #next: ServerResponse | undefined
  #asked = 0

  constructor(readonly ledger: Ledger) {}

  /** The address that the page is to ask. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  // What crosses is JSON, as all of a log is. Whoever asks a browser that is killed waits for ever, or until it is closed.
  evaluate: Driven['evaluate'] = (run: unknown, arg?: unknown): Promise<never> =>
    new Promise((answered: (value: never) => void, failed) => {
      const question = { id: this.#asked++, body: String(run), arg }
      this.#waiting.set(question.id, { answered: answered as Waiting['answered'], failed })
      this.#questions.push(question)
      this.#send()
    })

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
    for (const { failed } of this.#waiting.values()) failed(new Error('the page was closed'))
    this.#waiting.clear()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The page is of another port.
    response.setHeader('Access-Control-Allow-Origin', '*')
    if (request.url === '/next') {
      this.#next = response
      this.#send()
      return
    }
    // What a killed browser has sent half of was not told.
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    if (request.url === '/tell') this.ledger.hear(JSON.parse(body) as Parameters<Ledger['hear']>[0])
    else this.#settle(JSON.parse(body) as Answer)
    response.end()
  }

  #send(): void {
    if (this.#next === undefined) return
    const question = this.#questions.shift()
    if (question === undefined) return
    this.#next.end(JSON.stringify(question))
    this.#next = undefined
  }

  #settle({ id, value, error }: Answer): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error === undefined) waiting?.answered(value)
    else waiting?.failed(new Error(error))
  }
}
