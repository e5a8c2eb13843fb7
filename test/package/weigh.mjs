// How much an application loads of a part: minified and compressed, dependencies included.
import { brotliCompressSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * @param {string} entry its module's path
 * @returns {Promise<{ minified: number, compressed: number }>} bytes
 */
export async function weigh(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  const minified = Buffer.concat(outputFiles.map(({ contents }) => contents))
  return { minified: minified.length, compressed: brotliCompressSync(minified).length }
}
