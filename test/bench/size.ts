/** How much of a network and of a parser the package takes, which no browser has to be asked for. */
import { fileURLToPath } from 'node:url'
import { weigh } from '../package/weigh.mjs'
import { measureOf, type Measure } from './measure.js'
import { LIBRARY } from './target.js'

/** As `npm run build` weighs them, but from the sources, which makes a difference of one in a hundred. */
export async function sizes(): Promise<Measure[]> {
  const parts = { facade: '../../lib/index.ts', worker: '../../worker/index.ts' }
  const weighing = Object.entries(parts).map(async ([part, path]) => {
    const { compressed } = await weigh(fileURLToPath(new URL(path, import.meta.url)))
    return measureOf({ work: `size of the ${part}`, by: LIBRARY, unit: 'kB' }, [compressed / 1000])
  })
  return Promise.all(weighing)
}
