/** How Vitest runs the faults: each test drives real browsers from Node. */
import type { TestProjectInlineConfiguration } from 'vitest/config'

export const faults: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'faults',
    environment: 'node',
    include: ['test/faults/**/*.test.ts'],
    globalSetup: 'test/faults/site.ts',
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // One for all files of a run, so that its figures can be told with it.
    env: { FC_SEED: process.env['FC_SEED'] ?? `${Date.now() & 0x7fffffff}` },
    // Seconds of which a busy machine may take many.
    expect: { poll: { timeout: 20_000 } },
    // Two browsers at once: most of the time is waiting.
    maxWorkers: 2,
    // After the other projects, which would be slowed down by it, and it by them.
    sequence: { groupOrder: 10 },
  },
}
