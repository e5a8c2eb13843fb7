// The last step of `npm run build`: how much an application loads, minified and compressed, dependencies included. It fails
// when a part has outgrown its budget.
import { fileURLToPath } from 'node:url'
import { weigh } from './weigh.mjs'

/**
 * Brotli, bytes. `target` is what was hoped for before there were several tabs, take-over, transcripts, branches and repair
 * of storage; `budget` is what all that takes, with a little room. No part stands out: of the facade, Comlink takes 1.4 kB,
 * the transcript and old shapes 0.8 kB each.
 */
const parts = [
  { name: 'facade', entry: 'lib/index.js', target: 12_000, budget: 27_000 },
  { name: 'worker', entry: 'worker/index.js', target: 10_000, budget: 22_000 },
]

for (const { name, entry, target, budget } of parts) {
  const { minified, compressed } = await weigh(fileURLToPath(new URL(`../../dist/${entry}`, import.meta.url)))
  const over = compressed - target
  const verdict = over > 0 ? `over the target of ${kB(target)} by ${kB(over)}` : `target ${kB(target)}`
  console.log(`${name}: ${kB(minified)} minified, ${kB(compressed)} brotli (${verdict})`)
  if (compressed <= budget) continue
  process.exitCode = 1
  console.error(`${name} is over its budget of ${kB(budget)}: make it smaller, or raise the budget and say why.`)
}

/** @param {number} bytes */
function kB(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}
