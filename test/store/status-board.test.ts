/** What the status is when several things are wrong at once, or one after the other. */
import { describe, expect, test } from 'vitest'
import { StatusBoard, type StoreStatus } from '../../lib/status.js'
import { SessionStoreError, type SessionStoreErrorCode } from '../../lib/wire/errors.js'

const error = (code: SessionStoreErrorCode): SessionStoreError => new SessionStoreError(code, code)

/** A board, and the changes that it has told. */
function board(): { board: StatusBoard; seen: [StoreStatus, string | undefined][] } {
  const made = new StatusBoard()
  const seen: [StoreStatus, string | undefined][] = []
  made.onChange = (status, cause) => void seen.push([status, cause?.code])
  return { board: made, seen }
}

describe('full', () => {
  test('comes back when what failed meanwhile is over, until something was written', () => {
    const { board: full, seen } = board()
    full.failed(error('STORAGE_FULL'))
    full.failed(error('WORKER_FAILED'))
    full.worked(false)
    full.worked(true)
    expect(seen.map(([status]) => status)).toEqual(['full', 'failed', 'full', 'ready'])
  })
})

describe('a database that was found empty', () => {
  test.each<[SessionStoreErrorCode, StoreStatus]>([
    ['STORAGE_FULL', 'full'],
    ['BLOCKED', 'blocked'],
    ['WORKER_FAILED', 'failed'],
  ])('hides no %s, and is told again after it', (code, status) => {
    const { board: empty, seen } = board()
    empty.emptied(error('STORAGE_GONE'))
    empty.failed(error(code))
    empty.worked(true)
    expect(seen.map(([each]) => each)).toEqual(['gone', status, 'gone'])
  })
})

describe('a database that is gone while it is open', () => {
  test('is the reason for whatever follows', () => {
    const { board: gone, seen } = board()
    gone.failed(error('STORAGE_GONE'))
    gone.failed(error('CONNECTION_LOST'))
    gone.worked(true)
    expect(seen).toEqual([['gone', 'STORAGE_GONE']])
  })
})

describe('a session that cannot be stored', () => {
  test.each([
    ['its code', error('SESSION_CORRUPT'), 'SESSION_CORRUPT'],
    ['WORKER_FAILED for one that is nobody’s', new TypeError('a bug'), 'WORKER_FAILED'],
  ])('is failed, with %s', (_, cause, code) => {
    const { board: stuck, seen } = board()
    stuck.notStored('a', cause)
    expect(seen).toEqual([['failed', code]])
  })

  test('stays failed whatever else works, until it is stored or let go', () => {
    const { board: stuck, seen } = board()
    stuck.notStored('a', error('SESSION_CORRUPT'))
    stuck.worked(true)
    stuck.stored('b')
    stuck.stored('a')
    expect(seen.map(([status]) => status)).toEqual(['failed', 'ready'])
  })

  test('is not told twice: what is wrong with the whole store is told by its own call', () => {
    const { board: stuck, seen } = board()
    stuck.notStored('a', error('STORAGE_FULL'))
    expect(seen).toEqual([])
  })
})
