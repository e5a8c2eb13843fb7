/** What everything is measured on is like the logs that DSH wrote. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { SessionEvent } from 'idb-sessions'
import { checkTurns, decodeStorageRecord, foldSurface } from 'idb-sessions/log'
import { expect, test } from 'vitest'
import { logOf } from './generator.js'

const folder = fileURLToPath(new URL('../../../shared/samples/dsh/', import.meta.url))
const log = logOf(20_000)

test('a log has the length that was asked for, is the same each time, and no loop would write it otherwise', () => {
  expect(log.map(({ seq }) => seq)).toEqual(Array.from(log, (_, seq) => seq))
  expect(logOf(20_000)).toEqual(log)
  expect(logOf(2).map(({ type }) => type)).toEqual(['turn/start', 'turn/end'])
  expect(checkTurns(log)).toEqual([])
  expect(foldSurface(log).nodes.length).toBeGreaterThan(500)
})

test('an event takes about 200 bytes as JSON, and some take 16 KB', () => {
  const sizes = log.map((event) => JSON.stringify(event).length)
  expect(mean(sizes)).toBeGreaterThan(170)
  expect(mean(sizes)).toBeLessThan(280)
  expect(sizes.filter((size) => size > 15_000).length).toBeGreaterThan(5)
})

test.skipIf(!existsSync(folder))('its figures are those of the sample logs (where they are at hand)', () => {
  // All but one, whose messages have the shapes of an old version.
  const names = readdirSync(folder).filter((name) => name !== 'web.steering.session.jsonl')
  const samples = names.flatMap((name) => {
    const [, ...lines] = readFileSync(folder + name, 'utf8')
      .trimEnd()
      .split('\n')
    return lines.flatMap((line) => decodeStorageRecord(JSON.parse(line)))
  })
  const [ours, theirs] = [figures(log), figures(samples)]
  // Within a factor of two, in either direction; in a log of 900 events, one more file read changes a mean by as much.
  for (const [name, figure] of Object.entries(theirs)) {
    const ratio = ours[name as keyof typeof ours] / figure
    expect.soft(ratio, `${name}: ${ours[name as keyof typeof ours]} against ${figure}`).toBeGreaterThan(0.5)
    expect.soft(ratio, `${name}: ${ours[name as keyof typeof ours]} against ${figure}`).toBeLessThan(2)
  }
})

/** Means, of characters; results without the large ones, which samples have none of. */
function figures(events: readonly SessionEvent[]) {
  const deltas = { text: [] as number[], reasoning: [] as number[] }
  const prompts: number[] = []
  const results: number[] = []
  for (const event of events) {
    const { type, data } = event
    if (type === 'assistant/chunk' && 'text' in data.chunk) {
      deltas[data.chunk.type === 'text-delta' ? 'text' : 'reasoning'].push(data.chunk.text.length)
    } else if (type === 'user/message') prompts.push(JSON.stringify(data.content).length)
    else if (type === 'tool/result') results.push(JSON.stringify(data.message.content).length)
  }
  const steps = events.filter(({ type }) => type === 'step/end').length
  const chunks = events.filter(({ type }) => type === 'assistant/chunk').length
  return {
    'characters of a text delta': mean(deltas.text),
    'characters of a reasoning delta': mean(deltas.reasoning),
    'characters of a prompt': mean(prompts),
    'characters of a result': mean(results.filter((size) => size < 8000)),
    'share of the chunks': chunks / events.length,
    'steps to a turn': steps / events.filter(({ type }) => type === 'turn/end').length,
  }
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}
