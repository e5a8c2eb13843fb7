import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { onTestFinished } from 'vitest'

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' }

/** Serves the files of a folder while the test runs; what is not there is a 404. Gives the address. */
export async function serve(folder: string, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost')
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    const body = await readFile(join(folder, path)).catch(() => undefined)
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
