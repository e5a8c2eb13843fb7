import { describe, expect, test } from 'vitest'
import { fileOf, HEADER_LINE, log, start, turn, user } from '../log/support.js'
import { noRoom } from '../support/calls.js'
import { large, streamOf } from '../support/files.js'
import { page, tab } from '../support/lifetime.js'
import { countRecords } from '../support/page.js'
import { NOTHING } from '../support/records.js'

const EVENTS = log(turn(1), start(2), user('x'))
const FILE = fileOf(EVENTS)
const TEXT = new TextDecoder().decode(FILE)

describe('a file that is refused', () => {
  const broken = TEXT.split('\n')
  test.each<[string, string | Uint8Array, number]>([
    ['empty', '', 1],
    ['without a header', TEXT.split('\n').slice(1).join('\n'), 1],
    ['with a header that has no newline', HEADER_LINE, 1],
    ['with a header that lacks delegationDepth', TEXT.replace(',"delegationDepth":0', ''), 1],
    ['with a relative cwd', TEXT.replace('"id":"s"', '"id":"s","cwd":"x"'), 1],
    ['with a byte order mark', `\uFEFF${TEXT}`, 1],
    ['with a broken line before a finished turn', [...broken.slice(0, 2), 'garbage', ...broken.slice(2)].join('\n'), 3],
    ['with a missing line before a finished turn', broken.filter((_, i) => i !== 2).join('\n'), 3],
    ['with an event of a wrong shape', TEXT.replace('"role":"user"', '"role":"nobody"'), 3],
    ['with a turn/end of turn 0', TEXT.replace('"turn":1,"reason"', '"turn":0,"reason"'), 4],
    ['with -0', TEXT.replace('"turn":1', '"turn":-0'), 2],
    ['with a surfaceOp out of place', TEXT.replace('"data":{"turn":1}', '"data":{"turn":1},"surfaceOp":"append"'), 2],
    ['with half a surrogate pair', TEXT.replace('prompt 1', 'prompt \ud800'), 3],
  ])('%s is no valid log, and the line is named', async (_, source, line) => {
    const { store, name } = await page()
    await expect(store.importLog(source as string)).rejects.toMatchObject({
      name: 'SessionStoreError',
      code: 'INVALID_LOG',
      line,
    })
    await expect.poll(() => countRecords(name)).toEqual(NOTHING)
  })

  test.each([
    ['of a newer version', TEXT.replace('"version":0', '"version":1')],
    ['of an unknown event type', TEXT.replace('turn/start', 'turn/begin')],
    ['that is compressed', new Blob([new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3, 10, 1])])],
  ])('%s is not supported', async (_, source) => {
    const { store, name } = await page()
    await expect(store.importLog(source)).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED' })
    await expect.poll(() => countRecords(name)).toEqual(NOTHING)
  })

  test('late leaves nothing of what was stored before', async () => {
    const { store, name } = await page()
    const file = large('garbage', { type: 'turn/end', seq: 1, time: 1, data: {} })
    await expect(store.importLog(streamOf(file, 100_000))).rejects.toMatchObject({ code: 'INVALID_LOG', line: 1802 })
    await expect.poll(() => countRecords(name)).toEqual(NOTHING)
  })

  test('by full storage leaves nothing', async () => {
    const opened = await page()
    noRoom(opened, 'importEnd')
    await expect(opened.store.importLog(streamOf(large(), 100_000))).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    await expect.poll(() => countRecords(opened.name)).toEqual(NOTHING)
  })
})

describe('an event type that is not known', () => {
  const own = { type: 'my/own', seq: 5, time: 1, data: { n: 1 } }
  const withOwn = (more: object): string => `${TEXT}${JSON.stringify({ ...own, ...more })}\n`

  test('is kept when it is ignorable', async () => {
    const { store } = await page()
    await store.importLog(withOwn({ ignorable: true }))
    expect((await store.load('s')).at(5)).toEqual({ ...own, ignorable: true })
  })

  test('is kept when the application names it', async () => {
    const { store } = await page({ eventTypes: ['my/own'] })
    await store.importLog(withOwn({}))
    expect((await store.load('s')).at(5)).toMatchObject(own)
  })

  test('is refused else, with its line', async () => {
    const { store } = await page()
    await expect(store.importLog(withOwn({}))).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED', line: 7 })
  })

  test('is refused by a page that does not name it when it is loaded', async () => {
    const first = await page({ eventTypes: ['my/own'] })
    await first.store.importLog(withOwn({}))
    const { store } = await tab(first)
    await expect(store.load('s')).rejects.toMatchObject({ code: 'FORMAT_UNSUPPORTED' })
  })
})
