import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { onTestFinished } from 'vitest'

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' }

interface Serving {
  /** Sent with every answer, and so a policy of the worker's as well. */
  headers?: Record<string, string>
  /** What becomes of a request for what is not there: a 404, the page (as servers of single-page applications do), or nothing. */
  missing?: 'not found' | 'page' | 'no answer'
}

/** Serves the files of a folder while the test runs. Gives the address. */
export async function serve(folder: string, { headers = {}, missing = 'not found' }: Serving = {}): Promise<string> {
  const read = (path: string): Promise<Buffer | undefined> => readFile(join(folder, path)).catch(() => undefined)
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost')
    let path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    let body = await read(path)
    if (body === undefined && missing === 'no answer') return
    if (body === undefined && missing === 'page') body = await read((path = 'index.html'))
    response.writeHead(body ? 200 : 404, { ...headers, 'Content-Type': TYPES[extname(path)] ?? 'text/plain' })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
