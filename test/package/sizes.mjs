// The last step of `npm run build`: how much an application loads, minified and compressed, dependencies included.
import { brotliCompressSync } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Brotli, bytes. */
const parts = [
  { name: 'facade', entry: 'lib/index.js', target: 12_000 },
  { name: 'worker', entry: 'worker/index.js', target: 10_000 },
]

for (const { name, entry, target } of parts) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../dist/${entry}`, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  const minified = Buffer.concat(outputFiles.map(({ contents }) => contents))
  const compressed = brotliCompressSync(minified)
  const over = compressed.length - target
  const verdict = over > 0 ? `over the target of ${kB(target)} by ${kB(over)}` : `target ${kB(target)}`
  console.log(`${name}: ${kB(minified.length)} minified, ${kB(compressed.length)} brotli (${verdict})`)
}

/** @param {number} bytes */
function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}
