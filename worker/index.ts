/**
 * `idb-sessions/worker`: the worker module. In a Web Worker it serves the page that started it; anywhere else (a page,
 * Node, server-side rendering) importing it does nothing.
 */
import type { Endpoint } from 'comlink'
import { serve } from './serve.js'

export { serve }

const scope: { postMessage?: unknown; document?: unknown } | undefined = typeof self === 'undefined' ? undefined : self

if (typeof scope?.postMessage === 'function' && scope.document === undefined) serve(scope as Endpoint)
