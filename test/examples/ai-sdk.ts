/** The AI SDK: a turn that `streamText` answers, with its tools and steps, written while it streams. */
import { streamText, type LanguageModelUsage, type ModelMessage, type TextStreamPart, type ToolSet } from 'ai'
import type { ContentBlock, Message, Session, TokenUsage, UserMessage } from 'idb-sessions'
import { runTurn, toFailure, toJson, type TurnWriter } from 'idb-sessions/turn'

type Settings = Parameters<typeof streamText<ToolSet>>[0]
type Request = Pick<Settings, 'tools' | 'stopWhen' | 'maxRetries'> & { model: Exclude<Settings['model'], string> }
type Part = TextStreamPart<ToolSet>

/** Asks with the whole conversation. Rejects with the error that happened, which is the reason of the turn's end too. */
export function ask(session: Session, prompt: UserMessage, request: Request, signal?: AbortSignal) {
  return runTurn(session, prompt, (turn) => answer(turn, session.messages, request, signal), { signal })
}

async function answer(turn: TurnWriter, messages: readonly Message[], request: Request, abortSignal?: AbortSignal) {
  /** By id, how much of its arguments is known: none yet, pieces, or all. */
  const calls = new Map<string, 'begun' | 'streams' | 'whole'>()
  let failure: { error: unknown } | undefined
  const call = (id: string, name: string | undefined, json: string, known: 'begun' | 'streams' | 'whole'): void => {
    if (calls.get(id) === 'whole' || (calls.get(id) === 'streams' && known !== 'streams')) return
    turn.call(id, name, json)
    calls.set(id, known)
  }
  const writers: { [T in Part['type']]?: (part: Extract<Part, { type: T }>) => void } = {
    'start-step': () => turn.beginStep({ provider: request.model.provider, model: request.model.modelId }),
    'text-delta': ({ id, text }) => turn.delta('text', text, id),
    'reasoning-delta': ({ id, text }) => turn.delta('reasoning', text, id),
    'tool-input-start': ({ id, toolName }) => call(id, toolName, '', 'begun'),
    'tool-input-delta': ({ id, delta }) => call(id, undefined, delta, 'streams'),
    'tool-call': ({ toolCallId, toolName, input }) => call(toolCallId, toolName, asText(input), 'whole'),
    'tool-result': ({ toolCallId, output, preliminary }) => preliminary || turn.result(toolCallId, asText(output)),
    'tool-error': ({ toolCallId, error }) => {
      const { message, code } = toFailure(error)
      turn.result(toolCallId, message, { error: { name: 'ToolError', code } })
    },
    'finish-step': ({ finishReason, rawFinishReason, usage }) => {
      // 'other' without a word from the provider: the connection was closed.
      const isFailure = finishReason === 'other' ? rawFinishReason === undefined : /error|filter/.test(finishReason)
      if (isFailure) failure ??= { error: new Error(`the answer ended early: ${finishReason}`) }
      if (finishReason === 'length') turn.end({ kind: 'max-tokens' }, usageOf(usage))
      else turn.commit({ ...usageOf(usage), interrupted: failure && true })
      calls.clear() // some servers number them anew
    },
    error: ({ error }) => (failure ??= { error }), // thrown at the end: tools may still answer
    abort: ({ reason }) => (failure ??= { error: new DOMException(reason ?? 'aborted', 'AbortError') }),
  }
  const { stream } = streamText({
    ...request,
    messages: toModelMessages(messages),
    ...(abortSignal && { abortSignal }),
    onError: () => {}, // the stream has it too
    // Says which calls truly run, and may do so before the stream tells of them.
    onToolExecutionStart: ({ toolCall: { toolCallId, toolName, input } }) => {
      call(toolCallId, toolName, asText(input), 'whole')
      turn.start(toolCallId)
    },
  })
  for await (const part of stream) (writers[part.type] as ((part: Part) => void) | undefined)?.(part)
  if (failure !== undefined) throw failure.error
}

function usageOf({ inputTokens, outputTokens, inputTokenDetails, outputTokenDetails }: LanguageModelUsage) {
  if (inputTokens === undefined || outputTokens === undefined) return {}
  const { noCacheTokens = inputTokens, ...cache } = inputTokenDetails
  const { reasoningTokens } = outputTokenDetails
  return { usage: { inputTokens: noCacheTokens, outputTokens, ...cache, reasoningTokens } as TokenUsage }
}

/** With reasoning, which DeepSeek wants back; providers that take only what they signed pass it over. */
function toModelMessages(messages: readonly Message[]): ModelMessage[] {
  const names = new Map<string, string>()
  const partOf = (block: ContentBlock) => {
    if (block.type === 'text' || block.type === 'reasoning') return block
    if (block.type !== 'tool-call') return []
    names.set(block.id, block.name)
    return { type: 'tool-call' as const, toolCallId: block.id, toolName: block.name, input: parse(block.arguments) }
  }
  const convert = ({ role, content }: Message): ModelMessage => {
    const [first] = content
    if (role === 'assistant') return { role, content: content.flatMap(partOf) }
    if (first?.type !== 'tool-result') return { role, content: textOf(content) }
    const output = { type: first.isError ? ('error-text' as const) : ('text' as const), value: textOf(first.content) }
    const { toolCallId } = first
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: names.get(toolCallId)!, output }] }
  }
  return messages.map(convert).filter(({ content }) => content.length > 0)
}

const textOf = (blocks: ContentBlock[]): string => blocks.map((block) => ('text' in block ? block.text : '')).join('')
const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(toJson(value)))

/** A tool without parameters streams no arguments, and some servers refuse input that is no object for good. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return {}
  }
}
