import { defineConfig, mergeConfig } from 'vitest/config'
import { bench } from './test/bench/project.js'
import { faults } from './test/faults/project.js'
import { engineProjects } from './test/setup/engines.js'
import { tabs } from './test/tabs/project.js'
import demo from './vite.config.js'

export default mergeConfig(
  demo,
  defineConfig({
    // Tests read the seed of random runs from FC_SEED, in a browser too.
    envPrefix: ['VITE_', 'FC_'],
    test: {
      reporters: ['default', './test/setup/plain-reporter.ts'],
      passWithNoTests: false,
      // Each browser engine has its turn, beside one project that runs in Node; then the demo, faults, tabs and the bench.
      projects: [
        {
          extends: true,
          test: {
            name: 'node',
            environment: 'node',
            include: ['test/{log,store,model,oracle,conformance,examples}/**/*.test.ts'],
            setupFiles: ['test/support/fake-indexeddb.ts'],
            // Thousands of random runs in one test, beside a browser that has the other core.
            testTimeout: 30_000,
          },
        },
        ...engineProjects,
        {
          extends: true,
          test: {
            name: 'demo',
            environment: 'node',
            include: ['test/demo/**/*.test.ts'],
            sequence: { groupOrder: 9 },
            globalSetup: 'test/demo/site.ts',
            // They wait for a model that types, most of the time.
            maxWorkers: 2,
            // Each drives a real browser.
            testTimeout: 60_000,
            hookTimeout: 60_000,
          },
        },
        {
          extends: true,
          test: {
            name: 'package',
            environment: 'node',
            include: ['test/package/**/*.test.ts'],
            sequence: { groupOrder: 2 },
            globalSetup: 'test/package/packed.ts',
            testTimeout: 60_000,
            hookTimeout: 60_000,
          },
        },
        faults,
        tabs,
        bench,
      ],
    },
  }),
)
