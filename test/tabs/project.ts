/** How Vitest runs several tabs: each test drives real pages of real browsers from Node. */
import type { TestProjectInlineConfiguration } from 'vitest/config'

export const tabs: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'tabs',
    environment: 'node',
    include: ['test/tabs/**/*.test.ts'],
    globalSetup: 'test/tabs/site.ts',
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // Two browsers at once: most of the time is waiting.
    maxWorkers: 2,
    // After the other projects, which would be slowed down by it, and it by them.
    sequence: { groupOrder: 11 },
  },
}
