/** What a page that died has left: a stored session that nobody writes. */
import type { Page, PageOptions } from './page.js'
import { assistant, call, log, start, stepStart, toolCall, turn, user } from '../log/support.js'
import { page, tab } from './lifetime.js'

/** Ends inside a step, with one tool call that began and one that did not. */
export const CRASHED = log(
  start(1),
  stepStart(1, 1),
  user('x'),
  assistant([toolCall('began'), toolCall('did not')]),
  call('began'),
)
export const CLOSERS = ['tool/result', 'tool/result', 'step/end', 'turn/end']

/** A page on a database that holds this session, which is not live anywhere. */
export async function stored(seed = log(turn(1)), options?: PageOptions): Promise<Page> {
  const writer = await page()
  await writer.store.create('a', { seed, meta: { cwd: '/x' } })
  writer.crash()
  return tab(writer, options)
}
