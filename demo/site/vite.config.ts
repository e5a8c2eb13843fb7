/** The demo as a static site: it runs from any path, under a strict policy, and without a network after the first visit. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, mergeConfig, type Plugin } from 'vite'
import demo from '../../vite.config.js'

/**
 * All comes from the site's own files, and nothing is written into the page. A model may be asked anywhere, but a key and
 * a conversation do not go over a network in the clear.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self' https: http://localhost:* http://127.0.0.1:*",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

const policy: Plugin = {
  name: 'policy',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY },
      injectTo: 'head-prepend',
    },
  ],
}

/** Tells the service worker which files there are; another set of files is another version of it. */
const offline: Plugin = {
  name: 'offline',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const files = ['./', 'icon.svg', ...Object.keys(bundle).filter((name) => name !== 'index.html')]
    const version = createHash('sha256').update(JSON.stringify(bundle)).digest('hex').slice(0, 12)
    const code = readFileSync(new URL('service-worker.js', import.meta.url), 'utf8')
    const head = `const FILES = ${JSON.stringify(files)}\nconst VERSION = 'idb-sessions-demo-${version}'\n`
    this.emitFile({ type: 'asset', fileName: 'service-worker.js', source: head + code })
  },
}

export default mergeConfig(
  demo,
  defineConfig({
    root: fileURLToPath(new URL('../..', import.meta.url)),
    base: './',
    build: { outDir: 'site', emptyOutDir: true },
    plugins: [policy, offline],
  }),
)
