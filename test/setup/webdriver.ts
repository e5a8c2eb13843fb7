/** A browser that is driven by the W3C's WebDriver protocol, on a display of its own that nobody sees. */
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { startDisplay } from './display.js'
import { Programs, untilStarted } from './programs.js'

export class WebDriver {
  readonly #programs = new Programs('webdriver')
  #session = ''

  /** Starts the display, the driver and a browser with these capabilities. */
  static async start(program: string, capabilities: Record<string, unknown>): Promise<WebDriver> {
    const driver = new WebDriver()
    try {
      const display = await startDisplay(driver.#programs)
      await driver.#startSession(program, display, capabilities)
    } catch (error) {
      await driver.#programs.end()
      throw error
    }
    return driver
  }

  /** Resolves when the page has loaded. */
  async go(url: string): Promise<void> {
    await send('POST', `${this.#session}/url`, { url })
  }

  /** What a function with this body returns in the page, awaited; its time is not limited. */
  async run<T>(body: string, args: readonly unknown[]): Promise<T> {
    await send('POST', `${this.#session}/timeouts`, { script: null })
    return send<T>('POST', `${this.#session}/execute/sync`, { script: body, args })
  }

  async close(): Promise<void> {
    try {
      await send('DELETE', this.#session)
    } finally {
      await this.#programs.end()
    }
  }

  async #startSession(program: string, display: string, capabilities: Record<string, unknown>): Promise<void> {
    const port = await freePort()
    const driver = this.#programs.start(program, [`--port=${port}`, '--host=127.0.0.1'], { DISPLAY: display })
    const root = `http://127.0.0.1:${port}`
    await untilStarted(driver, untilReady(root))
    const asked = { capabilities: { alwaysMatch: capabilities } }
    const { sessionId } = await untilStarted(driver, send<{ sessionId: string }>('POST', `${root}/session`, asked))
    this.#session = `${root}/session/${sessionId}`
  }
}

/** What the driver answers, or its refusal as an error. */
async function send<T = unknown>(method: string, url: string, body?: unknown): Promise<T> {
  const response = await fetch(url, { method, ...(body !== undefined && { body: JSON.stringify(body) }) })
  const { value } = (await response.json()) as { value: T }
  if (response.ok) return value
  const { error, message } = value as { error: string; message: string }
  throw new Error(`WebDriver refused ${method} ${new URL(url).pathname}: ${error}. ${message}`)
}

async function untilReady(root: string): Promise<void> {
  for (;;) {
    try {
      await send('GET', `${root}/status`)
      return
    } catch {
      await wait(50)
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
