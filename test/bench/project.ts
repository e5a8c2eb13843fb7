/** How Vitest runs the bench: real browsers, driven from Node, measure a page. */
import type { TestProjectInlineConfiguration } from 'vitest/config'

/** The long form is `npm run bench`: all works at their full sizes, whose figures the README shows. */
const isLong = process.env['BENCH'] === 'long'

export const bench: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'bench',
    environment: 'node',
    include: isLong ? ['test/bench/record.test.ts'] : ['test/bench/{ahead,generator,judging,loss}.test.ts'],
    globalSetup: 'test/bench/site.ts',
    testTimeout: isLong ? 3_600_000 : 120_000,
    hookTimeout: 60_000,
    // One browser at a time, and alone: what runs beside it would be measured too.
    maxWorkers: 1,
    sequence: { groupOrder: 12 },
  },
}
