import * as entry from 'idb-sessions/log'
import { expect, it } from 'vitest'

it("the entry point has the functions of the contract under DSH's names", () => {
  expect(Object.keys(entry)).toEqual(
    expect.arrayContaining([
      'branchPointFor',
      'decodeStorageRecord',
      'deriveEventMessage',
      'foldSurface',
      'forkPointFor',
      'interruptedTurnClosers',
      'isJsonValue',
      'lastForkPoint',
      'packChunkRuns',
      'snapshotJsonValue',
    ]),
  )
})
