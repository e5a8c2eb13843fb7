/**
 * What a list shows of a log, as a fold that can be continued from any segment: a run of events has an *effect*, and
 * effects applied in order to an empty summary give the summary of the whole.
 */
import type { SessionEvent } from './event.js'
import { turnOf } from './turns.js'

export interface Summary {
  /** Number of the open turn. */
  readonly open?: number
  /** The last `session/title`, cut to a length that a list can show. */
  readonly title?: string
  /** The latest time so far, Unix epoch ms. Never goes back, though `time` of events may. */
  readonly lastTime: number
}

/** What a run of events does to a summary. `open: null`: it leaves no turn open. */
export interface Effect {
  readonly open?: number | null
  readonly title?: string
  readonly lastTime?: number
}

/** A row that holds the title has to stay small. */
const MAX_TITLE = 1000

export function effectOf(events: readonly SessionEvent[]): Effect {
  let open: number | null | undefined
  let title: string | undefined
  let lastTime: number | undefined
  for (const event of events) {
    if (event.type === 'turn/start') open = turnOf(event, 0)
    else if (event.type === 'turn/end') open = null
    else if (event.type === 'session/title') title = titleOf(event) ?? title
    if (lastTime === undefined || event.time > lastTime) lastTime = event.time
  }
  return {
    ...(open !== undefined && { open }),
    ...(title !== undefined && { title }),
    ...(lastTime !== undefined && { lastTime }),
  }
}

export function applyEffect(summary: Summary, effect: Effect): Summary {
  const open = effect.open === undefined ? summary.open : (effect.open ?? undefined)
  const title = effect.title ?? summary.title
  const lastTime = Math.max(summary.lastTime, effect.lastTime ?? summary.lastTime)
  return { ...(open !== undefined && { open }), ...(title !== undefined && { title }), lastTime }
}

function titleOf(event: SessionEvent<'session/title'>): string | undefined {
  const title: unknown = event.data?.title
  return typeof title === 'string' ? shortTitle(title) : undefined
}

/** A title as lists show it: at most 1,000 characters, and half a surrogate pair in none of them. */
export function shortTitle(title: string): string {
  // Half a pair, cut here or before, is no text: what shows a list may choke on it.
  return title.slice(0, MAX_TITLE).replaceAll(/\p{Surrogate}/gu, (_half, at) => (at === MAX_TITLE - 1 ? '' : '\uFFFD'))
}
