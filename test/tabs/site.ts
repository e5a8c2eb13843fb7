// The page of which several are opened: tabs of one origin share what is stored.
import type { TestProject } from 'vitest/node'
import { origin, serveSite } from '../faults/site.js'

export { figure, origin } from '../faults/site.js'

export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return serveSite(project, new URL('page/index.html', import.meta.url), 'Several tabs')
}

/** Address of the page, which works on this database; `host` stands for 127.0.0.1 where the browser was told so. */
export function address(database = 'tabs', host?: string): string {
  return `${origin(host)}/test/tabs/page/index.html?${database}`
}

/** The long form has the counts that were promised. */
export const isLong = process.env['TABS'] === 'long'

export function times(short: number, long: number): number {
  return isLong ? long : short
}
