/** Logs that DSH wrote, where they are at hand; and logs of the same shapes. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { deriveEventMessage, foldSurface, interruptedTurnClosers, packChunkRuns } from 'idb-sessions/log'
import { describe, expect, it } from 'vitest'
import { encodeHeader } from '../../lib/log/header.js'
import type { LogIntake } from '../../lib/log/intake.js'
import { concat } from '../../lib/log/jsonl.js'
import { assistant, bytesOf, call, delta, end, eventsOf, fileOf, log, read, replacing } from './support.js'
import { requestHeader, result, start, stepEnd, stepStart, toolCall, toolDelta, turn, user } from './support.js'

const folder = fileURLToPath(new URL('../../../shared/samples/dsh/', import.meta.url))
const samples: [string, Uint8Array][] = existsSync(folder)
  ? readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(folder + name))])
  : []

/** Holds prompts without an id, which are read as present ones (`spec` 6.8) and so are not written as they came. */
const OLD_SHAPES = new Set(['web.steering.session.jsonl'])

const aborted = { kind: 'aborted', reason: { kind: 'user' } } as const
const shapes: [string, Uint8Array][] = [
  ['several turns', log(turn(1), turn(2), turn(3))],
  [
    'an answer that streams',
    log(start(1), stepStart(1, 1), user('x'), delta('a'), delta('b'), delta('c'), assistant('abc')),
  ],
  ['a canceled answer', log(start(1), stepStart(1, 1), user('x'), delta('a'), stepEnd(1, 1), end(1, aborted))],
  [
    'tools in parallel',
    log(
      [
        start(1),
        stepStart(1, 1),
        user('x'),
        requestHeader(),
        toolDelta('', 'ls'),
        toolDelta('{'),
        toolDelta('}'),
        toolDelta(''),
      ],
      [
        assistant([toolCall('a'), toolCall('b')]),
        call('a'),
        call('b'),
        result('b'),
        result('a'),
        stepEnd(1, 1),
        end(1),
      ],
    ),
  ],
  ['a compaction', log(turn(1), turn(2), start(3), replacing(user('summary'), 1, 4, [1, 4]), end(3))],
].map(([name, events]) => [name as string, fileOf(packChunkRuns(events as ReturnType<typeof log>))])

const bytesAgain = (intake: LogIntake): Uint8Array => {
  const header = bytesOf(`${encodeHeader(intake.header!)}\n`)
  return concat([header, ...intake.takeSegments().map(({ bytes, original }) => original ?? bytes)])
}

function describeLogs(logs: [string, Uint8Array][]): void {
  it.each(logs)('%s is read to its end and written again byte for byte', (_name, file) => {
    expect(bytesAgain(read(file))).toEqual(file)
  })

  it.each(logs)('%s tells the model a conversation that a user message begins', (_name, file) => {
    const events = eventsOf(read(file))
    const [first] = foldSurface(events).nodes
    expect(deriveEventMessage(events[first!]!)?.role).toBe('user')
  })

  it.each(logs)('%s is closed by its closers', (_name, file) => {
    const events = eventsOf(read(file))
    expect(interruptedTurnClosers([...events, ...interruptedTurnClosers(events)])).toEqual([])
  })
}

function describePacking(logs: [string, Uint8Array][]): void {
  it.each(logs)('%s is packed as DSH packs it', (_name, file) => {
    const lines = packChunkRuns(eventsOf(read(file))).map((record) => JSON.stringify(record))
    expect(lines).toEqual(new TextDecoder().decode(file).trimEnd().split('\n').slice(1))
  })
}

describe.skipIf(samples.length === 0)('a log of DSH (skipped: no ../shared/samples/dsh)', () => {
  it('is there', () => {
    expect(samples).not.toEqual([])
  })

  describeLogs(samples)
  describePacking(samples.filter(([name]) => !OLD_SHAPES.has(name)))
})

describe('a log with', () => {
  describeLogs(shapes)
  describePacking(shapes)
})
