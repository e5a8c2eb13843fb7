import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { browsers, findBrowser } from './test/setup/browsers.mjs'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const executablePath = await findBrowser(browsers.chromium)

export default defineConfig({
  plugins: [react()],
  publicDir: 'demo/public',
  // Tests read the seed of random runs from FC_SEED, in a browser too.
  envPrefix: ['VITE_', 'FC_'],
  resolve: {
    // Exact matches: as a plain string, the package's name would swallow its entry points.
    alias: [
      { find: /^idb-sessions$/, replacement: source('lib/index.ts') },
      { find: /^idb-sessions\/log$/, replacement: source('lib/log/index.ts') },
      { find: /^idb-sessions\/turn$/, replacement: source('lib/turn/index.ts') },
      { find: /^idb-sessions\/worker$/, replacement: source('worker/index.ts') },
    ],
  },
  worker: { format: 'es' },
  // Vite does not look into workers for dependencies; finding one late reloads the page, in the middle of a test run too.
  optimizeDeps: { include: ['comlink', 'idb'] },
  test: {
    reporters: ['default', './test/setup/plain-reporter.ts'],
    passWithNoTests: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          include: ['test/{log,store,model,oracle,conformance,examples}/**/*.test.ts'],
          setupFiles: ['test/support/fake-indexeddb.ts'],
        },
      },
      {
        extends: true,
        optimizeDeps: { include: ['fast-check', 'react', 'react-dom/client'] },
        test: {
          name: 'chromium',
          include: ['test/{store,model,browser}/**/*.test.ts'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: { args: browsers.chromium.flags, ...(executablePath ? { executablePath } : {}) },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'demo',
          environment: 'node',
          include: ['test/demo/**/*.test.ts'],
          // Each drives a real browser against a dev server of its own.
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
          globalSetup: 'test/package/packed.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
