/** What models send, told once for every kind of client, and what a turn's log then says. */
import { expect } from 'vitest'

/** One request's answer. */
export type Answer = { status: number; message: string } | { says: readonly Part[]; ends: Ending }
export type Part = { reasoning: string } | { text: string } | { call: string; tool: string; json: string }
/** 'silent': nothing more comes, the connection stays open. 'closed': it is closed in the middle. */
export type Ending = 'stop' | 'tool-calls' | 'length' | 'silent' | 'closed' | { error: string }

export interface Stream {
  answers: readonly Answer[]
  /** The user stops it once this is on the screen, or once this tool runs. */
  stop?: { seen: string } | { runs: string }
  /** What a person sees below the prompt: the state of an answer, and what it holds; a line each. */
  shows: readonly string[]
  /** The kind of the turn's end, and the message of the error that is its reason. */
  ends: string
}

const CLOCK = { call: 'a', tool: 'clock', json: '{"zone":"UTC"}' }
const DONE: Answer = { says: [{ text: 'It is noon.' }], ends: 'stop' }

export const streams: Record<string, Stream> = {
  'text is shown': {
    answers: [{ says: [{ text: 'Hello there' }], ends: 'stop' }],
    shows: ['done: Hello there'],
    ends: 'completed',
  },
  'reasoning, then a tool, and what comes of it, are two answers': {
    answers: [{ says: [{ reasoning: 'A clock?' }, CLOCK], ends: 'tool-calls' }, DONE],
    shows: ['done: (A clock?) clock{"zone":"UTC"} = 12:00 UTC', 'done: It is noon.'],
    ends: 'completed',
  },
  'of parallel tools, one may fail': {
    answers: [
      {
        says: [
          { call: 'a', tool: 'broken', json: '{}' },
          { ...CLOCK, call: 'b' },
        ],
        ends: 'tool-calls',
      },
      DONE,
    ],
    shows: ['done: broken{} ! the spring is gone clock{"zone":"UTC"} = 12:00 UTC', 'done: It is noon.'],
    ends: 'completed',
  },
  'an abort in the text keeps what was seen of it': {
    answers: [{ says: [{ text: 'Half an' }], ends: 'silent' }],
    stop: { seen: 'Half an' },
    shows: ['interrupted: Half an'],
    ends: 'aborted',
  },
  'an abort while a tool runs keeps its call, without knowing the outcome': {
    answers: [{ says: [{ text: 'Wait.' }, { call: 'a', tool: 'slow', json: '{}' }], ends: 'tool-calls' }],
    stop: { runs: 'slow' },
    shows: [expect.stringMatching(/^(done|interrupted): Wait\. slow\{\} ! .*nobody knows/)],
    ends: 'aborted',
  },
  'an abort before the first step keeps the prompt': {
    answers: [{ says: [], ends: 'silent' }],
    stop: { seen: 'What time is it?' },
    shows: [],
    ends: 'aborted',
  },
  'HTTP 500 is the reason of the end': {
    answers: [{ status: 500, message: 'out of order' }],
    shows: [],
    ends: expect.stringMatching(/^error: .*out of order/),
  },
  'an error in mid-stream keeps what was seen, and is the reason of the end': {
    answers: [{ says: [{ text: 'Half an' }], ends: { error: 'overloaded' } }],
    shows: ['failed: Half an'],
    ends: 'error: overloaded',
  },
  'a second step that fails leaves the first one whole': {
    answers: [
      { says: [CLOCK], ends: 'tool-calls' },
      { status: 500, message: 'out of order' },
    ],
    shows: ['done: clock{"zone":"UTC"} = 12:00 UTC'],
    ends: expect.stringMatching(/^error: .*out of order/),
  },
  'an unknown tool fails, and the model is told': {
    answers: [{ says: [{ call: 'a', tool: 'teleport', json: '{}' }], ends: 'tool-calls' }, DONE],
    shows: [expect.stringMatching(/^done: teleport\{\} ! .*teleport/), 'done: It is noon.'],
    ends: 'completed',
  },
  'arguments that are no JSON fail, and are kept as they came': {
    answers: [{ says: [{ ...CLOCK, json: '{"zone":' }], ends: 'tool-calls' }, DONE],
    shows: [expect.stringMatching(/^done: clock\{"zone": ! .*JSON/), 'done: It is noon.'],
    ends: 'completed',
  },
  'a length stop keeps the text, and drops the call that it cut': {
    answers: [{ says: [{ text: 'So' }, { ...CLOCK, json: '{"zo' }], ends: 'length' }],
    shows: ['done: So'],
    ends: 'max-tokens',
  },
  'a connection closed early keeps what was seen, and is an error': {
    answers: [{ says: [{ text: 'Half an' }], ends: 'closed' }],
    shows: ['failed: Half an'],
    ends: expect.stringMatching(/^error: .*(early|closed)/),
  },
}

/** As it is streamed. */
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}
