/** Random numbers that a seed repeats. */
import { seed } from '../model/seed.js'

export { seed }

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Between two numbers, all magnitudes alike: as many from 1 to 10 as from 10 to 100. */
export function anyMagnitude(random: () => number, least: number, most: number): number {
  return Math.round(least * (most / least) ** random())
}
