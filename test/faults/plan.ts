/** What is appended while faults happen: turns without end, which whoever finds them afterwards can tell from all others. */
import type { ContentBlock } from 'idb-sessions'
import { anyMagnitude, randomFrom } from './random.js'

export interface Plan {
  seed: number
  /** Number of the first turn. */
  turn: number
  /** Characters in a turn, about. */
  least: number
  most: number
}

/** An event without its place in a log. */
export interface Planned {
  type: string
  data: unknown
  /** What the model sees is appended to its surface. */
  isMessage: boolean
}

/** The same events for the same plan. */
export function* planned({ seed, turn: first, least, most }: Plan): Generator<Planned, never, undefined> {
  const random = randomFrom(seed)
  let made = 0
  /** Text that no other event has, and that no back end can compress much. */
  const text = (size: number): string => {
    let text = `${seed}.${made++} `
    // Whole numbers: engines write the fractions of others differently.
    while (text.length < size) text += Math.floor(random() * 2 ** 32).toString(36)
    return text
  }
  const event = (type: string, data: unknown): Planned => ({ type, data, isMessage: false })
  const message = (type: string, data: unknown): Planned => ({ type, data, isMessage: true })

  for (let turn = first; ; turn++) {
    const size = anyMagnitude(random, least, most)
    const chunks = Math.ceil(random() * 40)
    const steps = random() < 0.3 ? 2 : 1
    yield event('turn/start', { turn })
    for (let step = 1; step <= steps; step++) {
      const place = { turn, step }
      yield event('step/start', place)
      if (step === 1) yield message('user/message', user(text(size / 4)))
      for (let index = 0; index < chunks; index++) {
        const delta = text(size / 4 / chunks)
        yield event('assistant/chunk', { ...place, chunk: { type: 'text-delta', index: 0, text: delta } })
      }
      const callId = `${seed}.${made}`
      const calls = step < steps
      const call: ContentBlock[] = calls ? [{ type: 'tool-call', id: callId, name: 'clock', arguments: '{}' }] : []
      const content: ContentBlock[] = [{ type: 'text', text: text(size / 2) }, ...call]
      yield message('assistant/message', { ...place, message: assistant(content, `a${made}`) })
      if (calls) {
        yield event('tool/call', { ...place, callId, name: 'clock', arguments: '{}' })
        yield message('tool/result', { ...place, message: result(callId, text(20)) })
      }
      yield event('step/end', place)
    }
    yield event('turn/end', { turn, reason: { kind: 'completed' } })
  }
}

function user(text: string): unknown {
  return { id: `u${text.slice(0, 20)}`, role: 'user', content: [{ type: 'text', text }], source: { kind: 'user' } }
}

function assistant(content: ContentBlock[], id: string): unknown {
  return { id, role: 'assistant', content, source: { kind: 'model', provider: 'test', model: 'scripted' } }
}

function result(toolCallId: string, text: string): unknown {
  const content = [{ type: 'text', text }]
  return {
    id: `r${toolCallId}`,
    role: 'user',
    source: { kind: 'tool', callId: toolCallId },
    content: [{ type: 'tool-result', toolCallId, content }],
  }
}
