import { describe, expect, test, vi } from 'vitest'
import { inBrowser } from '../support/page.js'

const ENTRIES = {
  'idb-sessions': () => import('idb-sessions'),
  'idb-sessions/log': () => import('idb-sessions/log'),
  'idb-sessions/worker': () => import('idb-sessions/worker'),
}

describe.skipIf(inBrowser)('without a browser (Node only)', () => {
  test.each(Object.entries(ENTRIES))('importing %s does nothing and does not throw', async (_, load) => {
    vi.resetModules()
    for (const name of ['indexedDB', 'Worker', 'navigator', 'BroadcastChannel']) vi.stubGlobal(name, undefined)
    const before = Object.getOwnPropertyNames(globalThis)
    const entry = await load()
    expect(Object.keys(entry).length).toBeGreaterThan(0)
    expect(Object.getOwnPropertyNames(globalThis)).toEqual(before)
    vi.unstubAllGlobals()
  })

  test('importing the worker on a page serves nobody', async () => {
    vi.resetModules()
    const addEventListener = vi.fn()
    vi.stubGlobal('self', { document: {}, postMessage: () => {}, addEventListener })
    await import('idb-sessions/worker')
    expect(addEventListener).not.toHaveBeenCalled()
    vi.unstubAllGlobals()
  })

  test('importing the worker in a worker serves the page that started it', async () => {
    vi.resetModules()
    const addEventListener = vi.fn()
    vi.stubGlobal('self', { postMessage: () => {}, addEventListener })
    await import('idb-sessions/worker')
    expect(addEventListener).toHaveBeenCalledWith('message', expect.any(Function))
    vi.unstubAllGlobals()
  })
})

test('the facade has the fork helpers, and the log has the pure functions', async () => {
  const facade = await import('idb-sessions')
  for (const name of [
    'openSessions',
    'lastForkPoint',
    'forkPointFor',
    'branchPointFor',
    'interruptedTurnClosers',
    'SessionForkError',
    'SessionStoreError',
  ]) {
    expect(facade).toHaveProperty(name, expect.any(Function))
  }
  const pure = await import('idb-sessions/log')
  for (const name of [
    'lastForkPoint',
    'forkPointFor',
    'branchPointFor',
    'interruptedTurnClosers',
    'foldSurface',
    'deriveEventMessage',
    'isJsonValue',
    'snapshotJsonValue',
    'packChunkRuns',
    'decodeStorageRecord',
  ]) {
    expect(pure).toHaveProperty(name, expect.any(Function))
  }
})
