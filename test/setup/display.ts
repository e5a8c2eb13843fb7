/** A display that nobody sees, for browsers that have no headless mode. */
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { untilStarted, type Programs } from './programs.js'

/** Its name, for the environment of those that draw on it. It goes with the programs. */
export async function startDisplay(programs: Programs): Promise<string> {
  // It takes the first number that is free, and tells it when it is ready.
  const args = ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp']
  const display = programs.start('Xvfb', args)
  const [number] = (await untilStarted(display, once(display.stdio[3] as Readable, 'data'))) as [Buffer]
  return `:${number.toString().trim()}`
}
