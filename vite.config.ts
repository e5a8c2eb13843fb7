import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  plugins: [react()],
  publicDir: 'demo/public',
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
  // Nor should it look into the pages of tests: one import that it does not find there, and it prepares nothing at all.
  optimizeDeps: { entries: ['index.html'], include: ['comlink', 'idb'] },
})
