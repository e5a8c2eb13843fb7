/** Session files as text. */
import { eventOf, log } from './drafts.mjs'

export const head = (more = {}) =>
  JSON.stringify({ type: 'session', version: 0, id: 's', createdAt: 1, delegationDepth: 0, ...more })
export const line = (...draft) => JSON.stringify(eventOf(...draft))
/** Every line with its newline. */
export const fileOf = (...lines) => `${lines.join('\n')}\n`
export const events = (...drafts) => log(...drafts).map((event) => JSON.stringify(event))
