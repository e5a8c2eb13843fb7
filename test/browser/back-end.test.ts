/** That a run of Chromium tests what it says it tests. */
import { expect, inject, test } from 'vitest'
import { commands } from 'vitest/browser'
import { page } from '../support/lifetime.js'

const backEnd = inject('backEnd')

test.skipIf(backEnd === '')(
  `databases are stored with ${backEnd || 'what was asked for'}, by the files of the profile (Chromium only: others have one back end)`,
  async () => {
    const { store } = await page()
    await store.flush(await store.create())
    expect(await commands.backEnds()).toEqual([backEnd])
  },
)
