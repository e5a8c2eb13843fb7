import { APICallError, isStepCount, jsonSchema, tool } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, test } from 'vitest'
import { userMessage } from 'idb-sessions/turn'
import { ask } from './ai-sdk'
import { halves, streams, type Answer, type Part, type Stream } from './streams'
import { outcome, SOUND, usages, type Outcome, type Tools } from './support'

type Result = Awaited<ReturnType<MockLanguageModelV4['doStream']>>
type Chunk = Result['stream'] extends ReadableStream<infer C> ? C : never

/** How those of calls come; pieces come before the whole. */
type Arguments = 'piece by piece' | 'whole' | 'whole after their beginning'

/** A model that gives these answers, one a request. */
function model(answers: readonly Answer[], how: Arguments = 'piece by piece'): MockLanguageModelV4 {
  const left = answers.values()
  const doStream = async (): Promise<Result> => {
    const answer = left.next().value!
    if ('status' in answer) {
      const { message, status: statusCode } = answer
      throw new APICallError({ message, statusCode, url: 'test:', requestBodyValues: {} })
    }
    return { stream: streamOf(answer, how) }
  }
  return new MockLanguageModelV4({ doStream })
}

function streamOf({ says, ends }: Extract<Answer, { says: unknown }>, how: Arguments): ReadableStream<Chunk> {
  const isWhole = ends !== 'length'
  return new ReadableStream({
    start(controller) {
      says.flatMap((part, i) => chunksOf(part, `${i}`, how, isWhole)).forEach((chunk) => controller.enqueue(chunk))
      if (ends === 'silent') return
      if (typeof ends === 'object') controller.enqueue({ type: 'error', error: new Error(ends.error) })
      else if (ends !== 'closed') controller.enqueue(finish(ends))
      controller.close()
    },
  })
}

function chunksOf(part: Part, id: string, how: Arguments, isWhole: boolean): Chunk[] {
  if ('call' in part) {
    const [toolCallId, toolName, input] = [part.call, part.tool, part.json]
    const begun: Chunk = { type: 'tool-input-start', id: toolCallId, toolName }
    const pieces = halves(input).map((delta) => ({ type: 'tool-input-delta', id: toolCallId, delta }) as const)
    const whole: Chunk = { type: 'tool-call', toolCallId, toolName, input }
    return [
      ...(how === 'whole' ? [] : [begun]),
      ...(how === 'piece by piece' ? pieces : []),
      ...(isWhole ? [whole] : []),
    ]
  }
  const [kind, delta] = 'text' in part ? (['text', part.text] as const) : (['reasoning', part.reasoning] as const)
  return [
    { type: `${kind}-start`, id },
    ...halves(delta).map((delta) => ({ type: `${kind}-delta`, id, delta }) as const),
    { type: `${kind}-end`, id },
  ]
}

function finish(unified: 'stop' | 'tool-calls' | 'length'): Chunk {
  const usage = {
    inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: undefined },
    outputTokens: { total: 5, text: 3, reasoning: 2 },
  }
  return { type: 'finish', finishReason: { unified, raw: unified }, usage }
}

function toolSet(tools: Tools) {
  const inputSchema = jsonSchema({ type: 'object' })
  const entries = Object.entries(tools).map(([name, run]) => {
    return [name, tool({ inputSchema, execute: (input, { abortSignal }) => run(input, abortSignal) })] as const
  })
  return Object.fromEntries(entries)
}

function record(stream: Stream, asked = model(stream.answers)): Promise<Outcome> {
  return outcome(stream, (session, prompt, tools, signal) => {
    const request = { model: asked, tools: toolSet(tools), stopWhen: isStepCount(9), maxRetries: 0 }
    return ask(session, prompt, request, signal)
  })
}

describe.each<Arguments>(['piece by piece', 'whole', 'whole after their beginning'])(
  'with arguments that come %s',
  (how) => {
    test.each(Object.entries(streams))('%s', async (_rule, stream) => {
      const told = await record(stream, model(stream.answers, how))
      expect(told).toMatchObject({ ...SOUND, shows: ['user: What time is it?', ...stream.shows], ends: stream.ends })
    })
  },
)

test('counts cached input apart', async () => {
  const { session } = await record(streams['text is shown']!)
  expect(usages(session)).toEqual([{ inputTokens: 6, cacheReadTokens: 4, outputTokens: 5, reasoningTokens: 2 }])
})

test('the next turn begins with the reasoning, the call and its result', async () => {
  const { session } = await record(streams['reasoning, then a tool, and what comes of it, are two answers']!)
  const next = model(streams['text is shown']!.answers)
  await ask(session, userMessage('And now?'), { model: next })
  expect(next.doStreamCalls[0]!.prompt.slice(1, 3)).toMatchObject([
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'A clock?' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'clock', input: { zone: 'UTC' } },
      ],
    },
    { role: 'tool', content: [{ toolCallId: 'a', toolName: 'clock', output: { type: 'text', value: '12:00 UTC' } }] },
  ])
})

test.each(['', '{"zone":'])('the arguments %j, which are no JSON, are not sent back', async (json) => {
  const calls: Answer = { says: [{ call: 'a', tool: 'clock', json }], ends: 'tool-calls' }
  const asked = model([calls, ...streams['text is shown']!.answers])
  const { session } = await record({ answers: [], shows: [], ends: 'completed' }, asked)
  const next = model(streams['text is shown']!.answers)
  await ask(session, userMessage('And now?'), { model: next })
  const [call] = next.doStreamCalls[0]!.prompt[1]!.content as { input: unknown }[]
  expect(call!.input).toEqual({})
})
