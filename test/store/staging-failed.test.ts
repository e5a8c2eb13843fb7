// Before everything that looks for locks.
import '../support/fake-locks.js'
import { expect, onTestFinished, test, vi } from 'vitest'
import { encodeSegments } from '../../lib/log/jsonl.js'
import { Database } from '../../worker/database.js'
import { Staging } from '../../worker/staging.js'
import { log, turn } from '../log/support.js'
import { newName } from '../support/page.js'

test('what was put aside and cannot be taken away is left to the next open: its lock is free', async () => {
  const db = new Database(newName())
  onTestFinished(() => db.close())
  const staging = new Staging(db)
  await staging.write('op', encodeSegments(log(turn(1))), true)
  vi.spyOn(db, 'write').mockRejectedValueOnce(new Error('not now'))
  await expect(staging.drop('op')).rejects.toThrow('not now')
  const { held = [] } = await navigator.locks.query()
  expect(held.map(({ name }) => name).filter((name) => name?.includes(db.name))).toEqual([])
})
