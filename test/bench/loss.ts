/** What has become much worse than it was recorded. */
import type { Target } from './target.js'

/** Values by the ids of targets. */
export type Ratios = Record<string, number>

/** How many times as bad as recorded is a loss, whether the target is still met or not. */
export const GROSS = 3

/**
 * What is wrong, a line each. A target without a record and a record without a target are wrong too: either would let
 * anything pass.
 *
 * @param idle longest task of an idle page in the same run, ms: the machine adds as much to any task
 */
export function lossesOf(targets: readonly Target[], now: Ratios, recorded: Ratios, idle: number): string[] {
  const ids = new Set(targets.map(({ id }) => id))
  const strays = Object.keys(recorded).filter((id) => !ids.has(id))
  return [
    ...strays.map((id) => `${id}: recorded, and there is no such target. Record anew: npm run bench -- -t ratios`),
    ...targets.flatMap((target) => lossOf(target, now[target.id], recorded[target.id], idle) ?? []),
  ]
}

function lossOf(target: Target, now: number | undefined, before: number | undefined, idle: number): string | undefined {
  const { id, what, unit } = target
  // A short form does not measure all.
  if (now === undefined && before === undefined) return undefined
  if (now === undefined) return `${id}: recorded, and no longer measured`
  if (before === undefined) return `${id}: measured, and not recorded. Record it: npm run bench -- -t ratios`
  const isGain = target.least !== undefined
  const noise = unit === 'ms' ? target.noise + idle : target.noise
  if (isGain ? now >= noise : now <= noise) return undefined
  const loss = isGain ? before / now : now / before
  // Not `loss > GROSS`: what is no number is a loss.
  if (loss <= GROSS) return undefined
  return `${what} (${id}): ${now} ${unit}, recorded ${before}`
}
